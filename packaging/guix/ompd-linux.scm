;;; SPDX-License-Identifier: MIT
;;; guix build -f ompd-linux.scm
(use-modules (guix packages) (guix gexp) (guix build-system gnu)
             ((guix licenses) #:prefix license:)
             (gnu packages elf) (gnu packages python))

(package
  (name "ompd-linux")
  (version "0.1.0")
  ;; The archive of the sources lies beside this file, as SHA256SUMS has its sum.
  (source (local-file (string-append "ompd-linux-" version ".tar.xz")))
  (build-system gnu-build-system)
  (arguments
   (list
    #:tests? #f
    #:configure-flags #~'("--disable-tests")
    #:phases
    #~(modify-phases %standard-phases
        (add-after 'install 'join
          (lambda _
            (mkdir (string-append #$output "/lib/elfutils"))
            (symlink #$(file-append elfutils "/lib/libdw.so.1")
                     (string-append #$output "/lib/elfutils/libdw.so.1"))
            (for-each
             (lambda (file)
               (unless (file-exists? (string-append #$output "/" file))
                 (error "not installed" file)))
             '("bin/ompd" "bin/ompd-run" "lib/libompd.so" "lib/libompd-hooks.so"
               "share/ompd/gdb/ompd-gdb.py" "share/ompd/lldb/ompd_lldb.py")))))))
  (inputs (list python elfutils))
  (home-page #f)
  (synopsis "Explains OpenMP programs that hang or crash")
  (description "Commands for the shell, gdb and lldb that say what the threads of a program that
uses OpenMP do, what they wait for, and why they make no progress.")
  (license license:mit))
