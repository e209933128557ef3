"""Texts for counts, money and durations; imports nothing, because an agent waits for some of them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A duration in at most two units: `0.4 s`, `48 s`, `3 m 12 s`, `2 h 5 m`, `1 d 4 h`."""
    if seconds < 1:
        return f"{max(0.0, seconds):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _two_units(whole, 60, "m", 1, "s")
    if whole < 86_400:
        return _two_units(whole, 3600, "h", 60, "m")
    return _two_units(whole, 86_400, "d", 3600, "h")


def _two_units(seconds: int, major: int, major_symbol: str, minor: int, minor_symbol: str) -> str:
    text = f"{seconds // major} {major_symbol}"
    remainder = seconds % major // minor
    return f"{text} {remainder} {minor_symbol}" if remainder else text


def tokens(count: int) -> str:
    """A count in at most four characters: `950`, `3.1k`, `38k`, `1.2M`."""
    return _scaled(count, "", "k", "M", "G")


def dollars(amount: float) -> str:
    """An amount of money: `$12.30`; `under $0.01` for the least."""
    return "under $0.01" if 0 < amount < 0.01 else f"${amount:,.2f}"


def size(count: int) -> str:
    """Bytes in decimal units: `512 B`, `12 kB`, `1.2 MB`."""
    return _scaled(count, " B", " kB", " MB", " GB")


def _scaled(count: int, *units: str) -> str:
    if count < 1000:
        return f"{count}{units[0]}"
    value = float(count)
    for unit in units[1:]:
        value /= 1000
        if value < 9.95:
            return f"{value:.1f}".removesuffix(".0") + unit
        if value < 999.5:
            return f"{value:.0f}{unit}"
    return f"{value:,.0f}{units[-1]}"


def about(amount: float, *, is_all: bool = True) -> str:
    """A cost by a table of prices: `≈ $0.42`; `> $0.42` if it is not all."""
    text = dollars(amount)
    return text if text.startswith("under") else f"{'≈' if is_all else '>'} {text}"


def worked(seconds: float) -> str:
    """How long somebody worked, in one word or two: `48 s`, `12 min`, `1 h 16 m`."""
    return f"{int(seconds // 60)} min" if 60 <= seconds < 3600 else duration(seconds)


def percent(part: int, whole: int) -> str:
    """A share: `67 %`; `<1 %` for the least, `>99 %` for nearly all."""
    share = round(100 * part / whole) if whole else 0
    if share == 100 and part < whole:
        return ">99 %"
    return f"{share} %" if share or not part else "<1 %"
