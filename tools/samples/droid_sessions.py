"""An invented session of Factory Droid: a patch, a failed command and a compaction."""

from __future__ import annotations

import json

from .clocks import Clock, Json, as_lines

_SESSION = "b84d2f10-6c3e-4a57-9e21-7f0a5d3c8b06"
_FOLDER = "droid/sessions/-home-ana-code-shop-api"
_CWD = "/home/ana/code/shop-api"


class _Script:
    def __init__(self) -> None:
        self.clock = Clock("2026-11-07T09:30:00+00:00")
        about = {"title": "New session", "sessionTitle": "Prices in two currencies", "owner": "ana", "version": 2}
        self.entries: list[Json] = [{"type": "session_start", "id": _SESSION, **about, "cwd": _CWD}]

    def add(self, kind: str, seconds: int = 5, **fields: object) -> None:
        name = f"6f1d9a02-0000-4000-8000-{len(self.entries):012x}"
        self.entries.append({"type": kind, "id": name, "timestamp": self.clock.iso(seconds), **fields})

    def message(self, role: str, *parts: Json | str, seconds: int = 5) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        self.add("message", seconds, message={"role": role, "content": content})


def _call(tool_id: str, name: str, **arguments: object) -> Json:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def _result(tool_id: str, text: str, *, failed: bool = False) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": text, **({"is_error": True} if failed else {})}


def _currencies() -> _Script:
    script = _Script()
    reminder = "<system-reminder>\nThe current folder is /home/ana/code/shop-api.\n</system-reminder>"
    script.message("user", reminder, "Let GET /products return prices in euros and in pounds.")
    think: Json = {
        "type": "thinking",
        "thinking": "Money is stored in cents of euros. A rate is needed.",
        "signature": "",
    }
    script.message(
        "assistant", think, "I will read the prices first.", _call("toolu_d01", "Read", file_path="src/pricing.py")
    )
    script.message("user", _result("toolu_d01", "def price(product: Product) -> int:\n    return product.cents\n"))
    patch = (
        "*** Begin Patch\n*** Update File: src/pricing.py\n@@\n"
        "-def price(product: Product) -> int:\n-    return product.cents\n"
        '+def price(product: Product, currency: str = "EUR") -> int:\n'
        "+    return round(product.cents * RATES[currency])\n"
        "*** End Patch"
    )
    script.message("assistant", _call("toolu_d02", "ApplyPatch", input=patch))
    script.message("user", _result("toolu_d02", "Updated src/pricing.py"))
    script.message(
        "assistant", _call("toolu_d03", "Execute", command="pytest -q tests/test_pricing.py", riskLevel="low")
    )
    script.message("user", _result("toolu_d03", "E   NameError: name 'RATES' is not defined", failed=True))
    create = _call("toolu_d04", "Create", file_path="src/rates.py", content='RATES = {"EUR": 1.0, "GBP": 0.87}\n')
    script.message("assistant", "The table of rates is missing.", create)
    script.message("user", _result("toolu_d04", "Created src/rates.py"))
    script.message("assistant", "Products have a price in euros and one in pounds now. The rates are in src/rates.py.")
    summary = "GET /products returns prices in euros and pounds. The rates are in src/rates.py and are fixed."
    script.add("compaction_state", 300, summaryText=summary, summaryTokens=24, removedCount=9)
    script.message("user", "Where should the rates come from?", seconds=40)
    script.message("assistant", "From the bank's daily file: the import of orders fetches it already.")
    return script


def build() -> dict[str, str]:
    """Return each file with its text."""
    settings = {"model": "claude-opus-4-5-20251101", "tokenUsage": {"inputTokens": 5210, "outputTokens": 940}}
    return {
        f"{_FOLDER}/{_SESSION}.jsonl": as_lines(_currencies().entries),
        f"{_FOLDER}/{_SESSION}.settings.json": json.dumps(settings, indent=2) + "\n",
    }
