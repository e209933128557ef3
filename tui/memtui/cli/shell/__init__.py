"""memtui in the shell: what is completed there."""
