"""The reader of Gemini CLI."""
