"""What the indexer keeps outside its databases of what agents delete."""
