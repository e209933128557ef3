"""The filters of the query language, such as `agent:codex` and `has:error`: one declaration each."""
