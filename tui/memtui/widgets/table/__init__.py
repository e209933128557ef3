"""Tables: columns as values, and a list that shows rows in them."""
