"""The index on disk: one writer, immutable snapshots for everybody else."""
