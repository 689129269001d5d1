"""The command line: one verb a module, each importing its stage only when it runs."""
