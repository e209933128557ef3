"""The reader of Qwen Code."""
