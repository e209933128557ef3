"""The files of an index that change together, and changes of what is stored without reading a transcript."""
