# SPDX-License-Identifier: MIT
# nix-build -E 'with import <nixpkgs> {}; callPackage ./. {}'
{ lib, stdenv, python3, elfutils }:

stdenv.mkDerivation rec {
  pname = "ompd-linux";
  version = "0.1.0";

  # The archive of the sources lies beside this file, as SHA256SUMS has its sum.
  src = ./. + "/ompd-linux-${version}.tar.xz";

  nativeBuildInputs = [ python3 ];
  buildInputs = [ python3 ];
  configureFlags = [ "--disable-tests" ];

  postInstall = ''
    mkdir $out/lib/elfutils
    ln -s ${lib.getLib elfutils}/lib/libdw.so.1 $out/lib/elfutils
  '';

  doInstallCheck = true;
  installCheckPhase = ''
    for file in bin/ompd bin/ompd-run lib/libompd.so lib/libompd-hooks.so \
        share/ompd/gdb/ompd-gdb.py share/ompd/lldb/ompd_lldb.py; do
      test -s $out/$file
    done
    $out/bin/ompd --help
  '';

  meta = {
    description = "Explains OpenMP programs that hang or crash, on the shell, in gdb and in lldb";
    license = lib.licenses.mit;
    platforms = lib.platforms.linux;
  };
}
