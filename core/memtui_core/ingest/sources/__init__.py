"""Reading one transcript into the work database, and its links to others."""
