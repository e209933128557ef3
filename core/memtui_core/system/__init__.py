"""The machine: folders, projects on disk, processors, and what its errors mean."""
