# What runtime-hooks builds; see runtime-hooks/README.md.
