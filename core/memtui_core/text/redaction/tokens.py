"""Tokens that are known by a prefix: what each service begins them with, of which characters, and how long they are.

The facts are those that the services document, and that secret scanners such as gitleaks publish.
"""

from __future__ import annotations

import re
from typing import Final

from memtui_core.text.redaction.shape import BORDER, END, Shape, begins
from memtui_core.text.redaction.values import is_random

_HEX, _ALNUM, _WORD, _UPPER = "[0-9a-fA-F]", "[A-Za-z0-9]", BORDER, "[A-Z0-9]"
_DOTTED = "[A-Za-z0-9_.=-]"

_TOKENS: Final[tuple[tuple[str, str, str, int, int], ...]] = (
    # kind, prefixes, characters, least and most of them
    ("gitlab-token", "glpat- gldt- glft- glrt- glrtr- glcbt- glsoat- glimt- glagent- glffct- gloas-", _DOTTED, 20, 255),
    ("gitlab-token", "glptt-", _HEX, 40, 40),
    ("gitlab-token", "GR1348941", _WORD, 20, 20),
    ("github-token", "ghp_ gho_ ghs_ ghu_ ghr_", _ALNUM, 30, 255),
    ("github-token", "github_pat_", "[A-Za-z0-9_]", 22, 255),
    ("npm-token", "npm_", _ALNUM, 36, 64),
    ("pypi-token", "pypi-AgE", _WORD, 50, 1000),
    ("rubygems-token", "rubygems_", _HEX, 48, 48),
    ("nuget-key", "oy2", "[a-z0-9]", 43, 43),
    ("docker-token", "dckr_pat_ dckr_oat_", _WORD, 27, 64),
    ("clojars-token", "CLOJARS_", _ALNUM, 60, 60),
    ("google-key", "AIza", _WORD, 35, 35),
    ("google-secret", "GOCSPX-", _WORD, 28, 28),
    ("google-token", "ya29.", _WORD, 40, 2048),
    ("google-token", "1//0", _WORD, 40, 512),
    ("bedrock-key", "ABSK", "[A-Za-z0-9+/=]", 100, 280),
    ("alibaba-key", "LTAI", _ALNUM, 20, 20),
    ("tencent-key", "AKID", _ALNUM, 32, 32),
    ("yandex-key", "AQVN", _WORD, 35, 38),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 64, 64),
    ("heroku-token", "HRKU-", _WORD, 36, 80),
    ("flyio-token", "fo1_", _WORD, 43, 43),
    ("flyio-token", "fm1a_ fm1r_ fm2_", "[A-Za-z0-9+/=]", 100, 2048),
    ("render-key", "rnd_", _ALNUM, 28, 40),
    ("supabase-key", "sbp_", _HEX, 40, 40),
    ("supabase-key", "sb_secret_", _WORD, 28, 64),
    ("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", _DOTTED, 32, 64),
    ("databricks-token", "dapi", _HEX, 32, 32),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[A-Za-z0-9_.-]", 40, 80),
    ("vault-token", "hvs. hvb. hvr.", _WORD, 24, 512),
    ("pulumi-token", "pul-", _HEX, 40, 40),
    ("openshift-token", "sha256~", _WORD, 43, 43),
    ("tailscale-key", "tskey-", _WORD, 20, 128),
    ("cloudflare-key", "v1.0-", "[a-f0-9-]", 171, 171),
    ("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", _ALNUM, 10, 255),
    ("stripe-key", "whsec_", "[A-Za-z0-9+/=]", 32, 128),
    ("square-token", "sq0atp- sq0csp- sq0idp- EAAAE EAAAl", _WORD, 22, 80),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", _HEX, 32, 32),
    ("flutterwave-key", "FLWSECK_TEST- FLWSECK-", "[A-Za-z0-9-]", 12, 48),
    ("duffel-token", "duffel_test_ duffel_live_", _DOTTED, 43, 43),
    ("shippo-token", "shippo_live_ shippo_test_", _HEX, 40, 40),
    ("easypost-key", "EZAK EZTK", _ALNUM, 54, 54),
    ("sendgrid-key", "SG.", "[A-Za-z0-9_.=-]", 60, 80),
    ("mailgun-key", "key-", "[0-9a-f]", 32, 32),
    ("brevo-key", "xkeysib- xsmtpsib-", "[A-Za-z0-9-]", 64, 96),
    ("twilio-key", "SK", "[0-9a-f]", 32, 32),
    ("telegram-token", ":AA", _WORD, 32, 33),
    ("slack-token", "xapp-", "[A-Za-z0-9-]", 30, 255),
    ("linear-key", "lin_api_ lin_oauth_ lin_wh_", _ALNUM, 40, 64),
    ("notion-token", "ntn_", _ALNUM, 43, 50),
    ("notion-token", "secret_", _ALNUM, 43, 43),
    ("atlassian-token", "ATATT3 ATCTT3 ATBB", "[A-Za-z0-9_=-]", 24, 255),
    ("figma-token", "figd_ figo_ figu_", _WORD, 30, 80),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", "[0-9a-fA-F-]", 36, 36),
    ("postman-key", "PMAK-", "[0-9a-f-]", 59, 59),
    ("readme-key", "rdme_", "[a-z0-9]", 70, 70),
    ("typeform-token", "tfp_", _DOTTED, 40, 100),
    ("frameio-token", "fio-u-", _DOTTED, 64, 64),
    ("contentful-token", "CFPAT-", _WORD, 43, 43),
    ("meta-token", "EAA", _ALNUM, 100, 400),
    ("grafana-token", "glsa_", "[A-Za-z0-9_]", 41, 41),
    ("grafana-token", "glc_ eyJrIjoi", "[A-Za-z0-9+/=]", 32, 512),
    ("sentry-token", "sntrys_", "[A-Za-z0-9+/=_]", 60, 512),
    ("sentry-token", "sntryu_", _HEX, 64, 64),
    ("newrelic-key", "NRAK- NRII- NRJS- NRIQ- NRRA-", "[A-Za-z0-9-]", 19, 48),
    ("dynatrace-token", "dt0c01.", "[A-Za-z0-9.]", 89, 89),
    ("posthog-key", "phx_", _ALNUM, 40, 64),
    ("artifactory-key", "AKCp cmVmd", _ALNUM, 59, 96),
    ("circleci-token", "CCIPAT_", "[A-Za-z0-9_]", 40, 96),
    ("buildkite-token", "bkua_", _HEX, 40, 40),
    ("prefect-key", "pnu_", _ALNUM, 36, 36),
    ("octopus-key", "API-", _UPPER, 25, 30),
    ("sourcegraph-token", "sgp_", "[0-9a-fA-F_]", 40, 64),
    ("harness-token", "pat. sat.", "[A-Za-z0-9_.-]", 60, 80),
    ("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]", 200, 2048),
    ("onepassword-key", "A3-", "[A-Z0-9-]", 32, 40),
    ("adobe-secret", "p8e-", _ALNUM, 32, 32),
    ("age-key", "AGE-SECRET-KEY-1", _UPPER, 58, 58),
    ("huggingface-token", "hf_ api_org_", _ALNUM, 34, 40),
    ("api-key", "gsk_ xai-", _ALNUM, 48, 96),
    ("api-key", "pplx-", _ALNUM, 40, 64),
    ("api-key", "r8_", _ALNUM, 37, 40),
    ("api-key", "nvapi-", _WORD, 40, 96),
    ("api-key", "tvly-", _WORD, 28, 64),
    ("api-key", "lsv2_pt_ lsv2_sk_", "[0-9a-f_]", 32, 64),
    ("api-key", "pcsk_", "[A-Za-z0-9_]", 50, 96),
    ("api-key", "fc-", "[0-9a-f]", 32, 32),
    ("api-key", "jina_", _WORD, 40, 80),
    ("api-key", "csk-", "[a-z0-9]", 40, 64),
    ("api-key", "ico-", _ALNUM, 32, 32),
    ("api-key", "e2b_", "[0-9a-f]", 40, 40),
)


def _shape_of(kind: str, prefix: str, characters: str, least: int, most: int) -> Shape:
    literal = re.escape(prefix)
    # The `:AA` of Telegram's tokens follows the number of the bot.
    start = r":AA(?<=\d:AA)" if prefix == ":AA" else f"{literal}{begins(literal)}"
    return Shape(kind, (prefix,), f"({start}{characters}{{{least},{most}}}+){END}", _is_token)


def _is_token(match: re.Match[str]) -> bool:
    """Whether what follows a prefix varies: it is no placeholder such as `xxxx`, and no name in one case."""
    rest = match[1][4:]
    has_digits = any(character.isdigit() for character in rest)
    return len(set(rest)) > 2 and (has_digits or not (rest.islower() or rest.isupper()))


def _is_random_key(match: re.Match[str]) -> bool:
    """Whether an `sk-` key is a secret: by a vendor's prefix, its length or its value, since words start with `sk-`."""
    value = match[1][3:]
    if value.startswith(("ant-", "proj-", "svcacct-", "admin-", "or-v1-", "lf-")):
        return True
    return (value.isalnum() and len(value) >= 40) or is_random(value, 20)


TOKENS: Final[tuple[Shape, ...]] = (
    Shape("api-key", ("sk-",), rf"(sk-{begins('sk-')}{BORDER}{{20,512}}+)", _is_random_key),
    Shape(
        "slack-token",
        ("xox",),
        rf"(xox[abeoprs]-{begins('xox.-')}(?=\S{{0,12}}[0-9]){BORDER}{{10,255}}+)",
    ),
    Shape("slack-token", ("xoxe.xox",), rf"(xoxe\.xox{begins('xoxe.xox')}[bp]-{BORDER}{{10,255}}+)"),
    Shape("jwt", ("eyJ",), rf"(eyJ{begins('eyJ')}{BORDER}{{10,}}+\.{BORDER}{{10,}}+\.{BORDER}{{10,}}+)"),
    Shape(
        "aws-key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        rf"(A(?:[KS]I|BI|CC)A{begins('A..A')}(?<![/+]A..A)[A-Z0-9]{{16}})(?![A-Za-z0-9/+_-])",
    ),
    Shape("terraform-token", (".atlasv1.",), rf"({_ALNUM}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,80}}+)"),
    Shape("azure-secret", ("Q~",), r"(?<![\w~.])([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,40}+)"),
    Shape(
        "mailchimp-key",
        tuple(f"-us{digit}" for digit in range(1, 10)),
        rf"(?<!{BORDER})([0-9a-f]{{32}}-us[0-9]{{1,2}}){END}",
    ),
    Shape("maxmind-key", ("_mmk",), rf"(?<!{BORDER})([A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk){END}"),
    *(
        _shape_of(kind, prefix, characters, least, most)
        for kind, prefixes, characters, least, most in _TOKENS
        for prefix in prefixes.split()
    ),
)
"""In the order in which they are replaced."""
