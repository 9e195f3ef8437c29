# What gdb-plugin builds; see gdb-plugin/README.md.
