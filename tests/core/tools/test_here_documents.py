"""The files that shell commands write by here-documents."""

from __future__ import annotations

from memtui_core.tools.shell.here_documents import WrittenDocument, documents_written


def test_documents() -> None:
    cases = {
        "cat > a.md <<'EOF'\none $x\n\ntwo\nEOF\n": [WrittenDocument("a.md", "one $x\n\ntwo\n", appends=False)],
        "cat <<\\EOF >> docs/a.md\none\nEOF": [WrittenDocument("docs/a.md", "one\n", appends=True)],
        "cd docs && cat <<EOF | tee -a a.md\none\nEOF": [WrittenDocument("docs/a.md", "one\n", appends=True)],
        "cat > a.md <<-'EOF'\n\tone\n\t\ttwo\n\tEOF": [WrittenDocument("a.md", "one\ntwo\n", appends=False)],
        "cat > a.md <<A\none\nA\ncat > b.md <<'B'\ntwo\nB": [
            WrittenDocument("a.md", "one\n", appends=False),
            WrittenDocument("b.md", "two\n", appends=False),
        ],
        "cat > a.md <<EOF\none $x\nEOF": [],
        "cat > a.md <<EOF\nnever closed": [],
        "python - <<'EOF' > a.md\nprint(1)\nEOF": [],
        "cat <<'EOF' | sort > a.md\none\nEOF": [],
        "cat <<'EOF'\none\nEOF": [],
        "cat <<< one > a.md": [],
    }
    assert {command: list(documents_written(command)) for command in cases} == cases
