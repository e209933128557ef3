"""The operating system: folders, projects on the disk, processors, and messages for its errors."""
