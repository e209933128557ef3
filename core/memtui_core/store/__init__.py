"""The index on disk: one process writes it, all others read immutable snapshots."""
