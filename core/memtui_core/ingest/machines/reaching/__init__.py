"""The ways to the files of another machine: over ssh, or in a folder of this one."""
