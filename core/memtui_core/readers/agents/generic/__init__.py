"""The reader of plain messages with a role and a content, for files of programs that memtui does not know."""
