"""Taking a session back to one of its turns: a new session that ends there, and what has changed in files since."""
