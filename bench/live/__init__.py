"""What memtui costs while agents write, and how soon what they write can be found."""
