"""The index as every process except the indexer uses it: what the app, the commands and a library see of it."""
