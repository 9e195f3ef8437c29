# What libompd builds; see libompd/README.md.
