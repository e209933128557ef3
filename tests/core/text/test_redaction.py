from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui_core.text.redaction import redact

# Values are put together here so that no scanner takes this file for a leak.
A36 = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
HEX32 = "9f86d081884c7d659a2feaa0c55ad015"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
PEM = (
    "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n"
    "KUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQJAIJLixBy2qpFoS4DSmoEm\n"
    "-----END RSA " + "PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("ghp_" + A36, "github-token"),
        ("gho_" + A36, "github-token"),
        ("ghs_" + A36, "github-token"),
        ("github_pat_11ABCDEFG0" + "_" + A36, "github-token"),
        ("glpat-" + "xY3_abcd-EFGH12345678", "gitlab-token"),
        ("xoxb-" + "123456789012-1234567890123-" + A36[:24], "slack-token"),
        ("xoxp-" + "123456789012-" + HEX32, "slack-token"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "aws-key"),
        ("ASIA" + "Y34FZKBOKMUTVV7A", "aws-key"),
        ("sk-" + "ant-api03-" + A36 + "-" + A36, "api-key"),
        ("sk-" + "proj-" + A36, "api-key"),
        ("sk-" + A36 + A36[:12], "api-key"),
        ("sk-" + HEX32, "api-key"),
        ("AI" + "za" + A36[:35], "google-key"),
        ("npm_" + A36, "npm-token"),
        (JWT, "jwt"),
        (PEM, "private-key"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "token: {}", 'x = "{}"', "({}).", "a {}\nb", "'{}'", "curl -H {} x"])
def test_tokens_of_known_shape(secret: str, kind: str, around: str) -> None:
    assert redact(around.format(secret)) == around.format(f"[redacted:{kind}]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://ana:s3cr3t@db.local:5432/site", "postgres://ana:[redacted:password]@db.local:5432/site"),
        ("redis://:hunter2@host/0", "redis://:[redacted:password]@host/0"),
        (f"Authorization: Bearer {HEX32}", "Authorization: Bearer [redacted:bearer-token]"),
        (f"authorization: bearer {A36}==", "authorization: bearer [redacted:bearer-token]"),
        (f"OPENAI_API_KEY={A36}", "OPENAI_API_KEY=[redacted:secret]"),
        (f"export MY_TOKEN='{A36}'", "export MY_TOKEN='[redacted:secret]'"),
        (f'DB_PASSWORD="{HEX32}"', 'DB_PASSWORD="[redacted:password]"'),
        (f'"client_secret": "{A36}",', '"client_secret": "[redacted:secret]",'),
        (f"TOKEN={A36}", "TOKEN=[redacted:secret]"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY\n",
            "aws_secret_access_key = [redacted:secret]\n",
        ),
        (f"https://x/cb?access_token={A36}&b=1", "https://x/cb?access_token=[redacted:secret]&b=1"),
        ("ghp_" + A36 + " ghp_" + A36, "[redacted:github-token] [redacted:github-token]"),
    ],
)
def test_secrets_by_their_place(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the password is hunter2, please", "the password is [redacted:password], please"),
        ("My password was Tr0ub4dor&3.", "My password was [redacted:password]."),
        ("Das Kennwort lautet Sommer2024!", "Das Kennwort lautet [redacted:password]"),
        ('const pw: string = "hunter2";', 'const pw: string = "[redacted:password]";'),
        ("- name: DB_PASSWORD\n  value: kx82jdkq", "- name: DB_PASSWORD\n  value: [redacted:password]"),
        ("<password>hunter2</password>", "<password>[redacted:password]</password>"),
        ("Server=db;Password=P@ssw0rd!;Encrypt=true", "Server=db;Password=[redacted:password];Encrypt=true"),
        ("?user=ana&password=hunter2&ssl=true", "?user=ana&password=[redacted:password]&ssl=true"),
        ("CREATE ROLE ana PASSWORD 'kx82jdkq';", "CREATE ROLE ana PASSWORD '[redacted:password]';"),
        ("psql --password hunter22 -h db", "psql --password [redacted:password] -h db"),
        ("curl -u ana:kx82jdkq https://x", "curl -u ana:[redacted:password] https://x"),
        ("machine h.org login ana password kx82", "machine h.org login ana password [redacted:password]"),
        ("https://" + A36 + "@h.org/x", "https://[redacted:url-token]@h.org/x"),
        (f"Cookie: theme=dark; sid={A36}; a=b", "Cookie: theme=dark; sid=[redacted:cookie]; a=b"),
        (f"Authorization: Token {A36}", "Authorization: Token [redacted:authorization]"),
        ("Authorization: Basic YW5hOmh1bnRlcjI=", "Authorization: Basic [redacted:basic-login]"),
        (f'headers["X-Api-Key"] = "{A36}"', 'headers["X-Api-Key"] = "[redacted:secret]"'),
        (f"https://x.net/c?sv=1&sig={A36}%3D&se=2", "https://x.net/c?sv=1&sig=[redacted:signature]&se=2"),
        (f"AccountKey={A36}==;EndpointSuffix=x", "AccountKey=[redacted:secret];EndpointSuffix=x"),
        (f"Private-Lines: 1\n{A36}\nPrivate-MAC: 0", "Private-Lines: 1\n[redacted:private-key]Private-MAC: 0"),
    ],
)
def test_secrets_behind_names_and_in_prose(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk-learn and sk-image are no keys, nor is a task-management-system-2-with-parts",
        "pip install sk-learn-extension-for-time-series-2",
        "Bearer authentication is required; Bearer token-based-authentication-v2",
        "API_KEY=your-key-here",
        "API_KEY=your-api-key-goes-here-please-123",
        "PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD:-changeme}",
        "auth_token = get_session_token_from_request(request)",
        'SESSION_KEY = "memtuiSessionV2StateContainer"',
        "create_key=_descriptor._internal_create_key",
        "commit 3f2a9c1b7d5e4f60812a3b4c5d6e7f8091a2b3c4",
        "CACHE_KEY=3f2a9c1b7d5e4f60812a3b4c5d6e7f8091a2b3c4",
        "ROW_KEY=123e4567-e89b-12d3-a456-426614174000",
        "session 123e4567-e89b-12d3-a456-426614174000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA",
        "https://user@host/path git@github.com:o/r.git http://localhost:3000/a@b https://h:80?q=a@b",
        "https://${USER}:${TOKEN}@github.com https://oauth2:$TOKEN@x https://u:<password>@x https://u:***@x",
        "npm_config_registry=https://registry.npmjs.org npm_lifecycle_event",
        "github_pat_ ghp_ ghp_short glpat-x xoxb- AKIA AKIAFOO eyJ eyJhbGci AIza sk-",
        "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
        "-----BEGIN " + "PUBLIC KEY-----\n" + A36 + "\n-----END " + "PUBLIC KEY-----",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "secret",
    [
        *("ghp_" + A36, "github_pat_11ABCDEFG0" + "_" + A36, "glpat-" + "xY3_abcd-EFGH12345678", "npm_" + A36, JWT),
        *("xoxb-" + "123456789012-1234567890123-" + A36[:24], "AKIA" + "IOSFODNN7EXAMPLE", "AI" + "za" + A36[:35]),
        *("sk-" + HEX32, "sk-" + A36 + A36[:12]),
    ],
)
def test_a_token_does_not_begin_inside_a_word(secret: str) -> None:
    for before in ("a", "Z", "9", "_", "-"):
        assert redact(before + secret) == before + secret
    assert redact("." + secret).startswith(".[redacted:")


@pytest.mark.parametrize("maker", ["ant-", "proj-", "svcacct-", "admin-", "or-v1-"])
def test_a_key_with_the_prefix_of_its_maker_may_look_like_words(maker: str) -> None:
    words = "some-letters-only-and-nothing-else"
    assert redact(f"sk-{maker}{words}") == "[redacted:api-key]"
    assert redact(f"sk-{words}") == f"sk-{words}"


def test_json_stays_json() -> None:
    secrets = {
        "old": f"API_KEY='{A36}'\nTOKEN=\"{A36}\"\n",
        "lines": ["\nghp_" + A36, "\tsk-" + HEX32 + "\r\n" + JWT, "\nAKIA" + "IOSFODNN7EXAMPLE\n"],
        "empty": "A_KEY=\n" + A36 + "\n",
        "command": f'curl -H "Authorization: Bearer {HEX32}" https://a:b3c@d\n',
        "key": PEM,
        "cut": PEM[:90],
        "pair": ["-----BEGIN " + "PRIVATE KEY-----\n" + A36, "-----END " + "PRIVATE KEY-----"],
    }
    read = json.loads(redact(json.dumps(secrets)))
    assert read == {
        "old": "API_KEY='[redacted:secret]'\nTOKEN=\"[redacted:secret]\"\n",
        "lines": ["\n[redacted:github-token]", "\t[redacted:api-key]\r\n[redacted:jwt]", "\n[redacted:aws-key]\n"],
        "empty": "A_KEY=\n" + A36 + "\n",
        "command": 'curl -H "Authorization: Bearer [redacted:bearer-token]" https://a:[redacted:password]@d\n',
        "key": "[redacted:private-key]",
        "cut": "[redacted:private-key]",
        "pair": ["[redacted:private-key]", "-----END " + "PRIVATE KEY-----"],
    }


pieces = st.sampled_from(
    [
        *(
            "ghp_" + A36,
            "sk-" + HEX32,
            JWT,
            PEM,
            PEM[:80],
            "AKIA" + "IOSFODNN7EXAMPLE",
            "Bearer ",
            "X_KEY=",
            "TOKEN=",
            A36,
        ),
        *(
            "password",
            "Password: ",
            "password is ",
            "pass",
            "token ",
            "apiKey",
            "secret",
            "hunter22",
            "Basic ",
            "Cookie: a=",
        ),
        *(
            "curl -u a:",
            "glpat-",
            "xoxb-1",
            "SG.",
            ":AA",
            "-us1",
            "sig=",
            "auth",
            "value",
            "name: ",
            "[redacted:password]",
        ),
        *("https://u:", "p@", "-----BEGIN ", "PRIVATE KEY-----", "[redacted:", "]"),
        *(" ", "\n", '"', "'", "\\", "\\n", "-", "_", "=", ".", ":", ",", "&", "?", "@", "!", ">", "<", "{", "(", "`"),
    ]
)


@example('Password:000A&:"000A&')
@example("x://" + A36 + "@h")
@example("curl -u a:\ud800 password is p@eyJcurl -u a:\ud800[redacted:-eyJhttps://u:sig=curl -u a:000A&")
@example(f"a password is value*Cookie: a=https://u:Cookie: a=auth{A36}password is ")
@settings(max_examples=500)
@given(st.one_of(st.text(), st.lists(pieces, max_size=12).map("".join)))
def test_twice_is_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


HOSTILE = [
    *("password:", "password: a", "password is ", "pw=", "token ", "key=a1B2", "password: &", 'password" {\ntype=\n'),
    *(
        "curl ",
        "curl -u ",
        "mysql -p",
        "machine a.b login b ",
        "Cookie: a=",
        "Cookie: a=b;",
        "Authorization: ",
        "Basic a",
    ),
    *("Private-Lines: 1\nAAAAAAAAAAAAAAAA\n", "name: password\nvalue:", "://a:b?", "SG.", ".atlasv1.", "Q~a", "auth=("),
    *("?sig=a", ":5432:a:", "eyJrIjoi", "hvs.", "a1B2", "\\", "password\\\\", '{"name":"password","value":"'),
    *("eyJ", "eyJaaaaaaaaaaa.", "ghp_", "sk-", "_KEY=", "_KEY=a1b2", "://a:", "a://", "Bearer ", "xoxb-1", "AKIA"),
    *("-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----A", "github_pat_", "aB3+/", "-", "a"),
]
_CPU_SECONDS = 30
"""Processor time of one process for all hostile texts, whatever else the machine does; they take half a second."""


def test_hostile_text_takes_linear_time() -> None:
    """What takes the square of the length would take hours of processor time."""
    pytest.importorskip("resource")
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({_CPU_SECONDS}, {_CPU_SECONDS}))
from memtui_core.text.redaction import redact
for piece in {HOSTILE!r}:
    print(repr(piece), flush=True)
    redact(piece * (400_000 // len(piece)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [repr(piece) for piece in HOSTILE]
