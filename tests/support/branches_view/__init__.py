"""A view that memtui does not have: the branches on which sessions worked."""
