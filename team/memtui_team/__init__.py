"""A team's memory on PostgreSQL: sessions that members share, pushed, searched and read."""
