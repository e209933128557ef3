"""The names that lists show: of projects, sessions and folders."""
