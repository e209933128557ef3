"""A server that plays the model of an agent, in the four APIs that agents speak, and keeps what they send.

It calls memtui's search, then the agent's own tool that reads a file, then ends the turn. So the requests show whether
the result of memtui's tool, and what hooks add, came back to the model.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any, NamedTuple

QUERY = "retries upload idempotency key"
_READERS = ("read", "read_file", "view")
_SHELL, _SEARCH, _WAIT = "exec_command", "tool_search", "sleep 6"
_SEARCH_WORDS = "mem-search memory earlier sessions"
_PATCH = "*** Begin Patch\n*** Update File: src/upload.py\n@@\n-    pass\n+    return\n*** End Patch\n"
_PATHS = ("file_path", "filePath", "path", "absolute_path")


class Call(NamedTuple):
    """One call of a tool."""

    name: str
    fields: Mapping[str, Any]
    namespace: str = ""
    """The group of tools that an agent offers it in; empty for most."""


class Model:
    """The server; it answers until it is closed."""

    def __init__(self, file: str) -> None:
        self.requests: list[str] = []
        """The bodies of all requests for an answer."""
        self._file = file
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()

    def next_call(self, request: Mapping[str, Any]) -> Call | None:
        """What the model does next: a call of a tool that it has not called yet, or None to end the turn."""
        body = json.dumps(request, ensure_ascii=False)
        tools = list(_tools(request))
        kinds = {tool.get("type") for tool in request.get("tools", ()) if isinstance(tool, dict)}
        for name, _, namespace in tools:
            if name.lower().replace("_", "-").endswith("mem-search") and QUERY not in body:
                return Call(name, {"query": QUERY}, namespace)
        if _SEARCH in kinds:
            # This agent does not wait for the servers of plugins, names tools if asked, and edits files by patches.
            if _WAIT not in body:
                return Call(_SHELL, {"cmd": _WAIT})
            if QUERY not in body and "tool_search_output" not in body:
                return Call(_SEARCH, {"query": _SEARCH_WORDS, "limit": 8})
            if QUERY in body and json.dumps(_PATCH)[1:-1] not in body:
                return Call("apply_patch", {"input": _PATCH})
        if QUERY not in body and _SEARCH_WORDS not in body and any(name == _SEARCH for name, _, _ in tools):
            return Call(_SEARCH, {"query": _SEARCH_WORDS})
        for name, schema, namespace in tools:
            path = next((path for path in _PATHS if path in schema.get("properties", {})), "")
            if name.lower() in _READERS and path and self._file not in body:
                return Call(name, {path: self._file}, namespace)
        return None


def _tools(request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """The names and schemas of the tools in a request of any of the APIs, and the group that they are in."""
    found = [item["tools"] for item in request.get("input", ()) if item.get("type") == "tool_search_output"]
    for tool in [*request.get("tools", ()), *chain.from_iterable(found)]:
        if not isinstance(tool, dict):
            continue
        for inner in tool.get("functionDeclarations", ()):
            yield inner["name"], inner.get("parametersJsonSchema") or inner.get("parameters") or {}, ""
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", ()):
                yield inner["name"], inner.get("parameters") or {}, tool["name"]
            continue
        function = tool.get("function", tool)
        if "name" in function:
            yield function["name"], function.get("parameters") or function.get("input_schema") or {}, ""


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    model: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """A list with one model."""
        self._json({"object": "list", "data": [{"id": "model", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        """The answer of the model, or the count of tokens."""
        length = self.headers.get("Content-Length")
        content = self.rfile.read(int(length)) if length else b"".join(self._chunks())
        path = self.path.partition("?")[0]
        if "countTokens" in path or "count_tokens" in path:
            self._json({"totalTokens": 1, "input_tokens": 1})
            return
        try:
            request = json.loads(content)
        except ValueError:
            self._json({})
            return
        answers = {"messages": _anthropic, "completions": _completions, "responses": _responses}
        ending = path.rstrip("/").rpartition("/")[2]
        is_gemini = "enerateContent" in ending
        if not is_gemini and ending not in answers:
            self._json({})
            return
        self.model.requests.append(json.dumps(request, ensure_ascii=False))
        call = self.model.next_call(request)
        number = len(self.model.requests)
        if is_gemini:
            answer = _gemini(call)
            self._stream([("", answer)]) if "stream" in ending else self._json(answer)
            return
        events, whole = answers[ending](call, number)
        self._stream(events, done=ending == "completions") if request.get("stream") else self._json(whole)

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _json(self, value: Any) -> None:
        self._send("application/json", json.dumps(value))

    def _stream(self, events: list[tuple[str, Any]], *, done: bool = False) -> None:
        parts = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n" for name, value in events]
        self._send("text/event-stream", "".join(parts) + ("data: [DONE]\n\n" if done else ""))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _anthropic(call: Call | None, number: int) -> tuple[list[tuple[str, Any]], Any]:
    block: dict[str, Any] = {"type": "text", "text": "Done."}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": dict(call.fields)}
    reason = "end_turn" if call is None else "tool_use"
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "model", "usage": usage}
    delta: dict[str, Any] = {"type": "text_delta", "text": "Done."}
    start = {**block, "text": ""}
    if call is not None:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.fields)}
        start = {**block, "input": {}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    whole = {**message, "content": [block], "stop_reason": reason, "stop_sequence": None}
    return [(str(event["type"]), event) for event in events], whole


def _completions(call: Call | None, number: int) -> tuple[list[tuple[str, Any]], Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "Done." if call is None else None}
    if call is not None:
        function = {"name": call.name, "arguments": json.dumps(call.fields)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    reason = "stop" if call is None else "tool_calls"
    about = {"id": f"chatcmpl-{number}", "created": 1, "model": "model"}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    chunks = [
        {
            **about,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": message, "finish_reason": None}],
        },
        {
            **about,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
            "usage": usage,
        },
    ]
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return [("", chunk) for chunk in chunks], {
        **about,
        "object": "chat.completion",
        "choices": [choice],
        "usage": usage,
    }


def _responses(call: Call | None, number: int) -> tuple[list[tuple[str, Any]], Any]:
    item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    item["content"] = [{"type": "output_text", "text": "Done.", "annotations": []}]
    if call is not None:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        item |= {"name": call.name, "arguments": json.dumps(call.fields)}
        item |= {"namespace": call.namespace} if call.namespace else {}
        if call.name == _SEARCH:
            item |= {"type": "tool_search_call", "execution": "client", "arguments": dict(call.fields)}
        elif call.name == "apply_patch":
            item |= {"type": "custom_tool_call", "input": call.fields["input"]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20, **details}
    about = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": "model"}
    whole = {**about, "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**about, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return [(str(event["type"]), event) for event in events], whole


def _gemini(call: Call | None) -> Any:
    part: dict[str, Any] = {"text": "Done."}
    if call is not None:
        part = {"functionCall": {"name": call.name, "args": dict(call.fields)}}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "model"}
