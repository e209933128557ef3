"""CI takes eleven minutes: a cache for Terraform's providers and for pip."""

from __future__ import annotations

from .blocks import Think
from .infra_files import GITHUB, INFRA, ROOT
from .prose import output
from .repo import Repo
from .scenes import bash_progress, pr_link, turn_over
from .story import Story
from .tools_files import Edit, Read
from .tools_other import Bash, Todos, fetch
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file."""
    story = Story(
        Repo(ROOT, INFRA),
        "infra/ci",
        "2.1.42",
        "2026-11-11T07:45:00",
        branch="ci-cache",
        slug="steady-hopping-robin",
        model="claude-opus-4-6",
    )
    story.you("CI takes 11 minutes. cache whatever can be cached in ci.yml")
    story.claude(
        Think("Look at the durations of the steps before adding caches at random."),
        Todos(now="Find the slow steps", later=("Add caches", "Measure again")),
        Read(".github/workflows/ci.yml"),
        Bash("gh run view --json jobs --jq '.jobs[].steps[] | [.name, .seconds] | @tsv'", STEPS, "Time the steps"),
    )
    bash_progress(story, 0, ("", "Run terraform init"))
    story.claude(
        "`terraform init` downloads 640 MB of providers each time, `pip` compiles two wheels.",
        Edit(".github/workflows/ci.yml", "      - run: terraform init\n", CACHE),
        Edit(".github/workflows/ci.yml", "          - run: pip install ansible-lint\n", PIP),
        fetch(
            "https://docs.example.com/actions/cache#keys",
            "How are cache keys matched?",
            "An exact `key` wins; otherwise the newest cache whose key starts with one of `restore-keys` is restored.",
        ),
        weave=True,
    )
    story.claude(
        "The second edit had the wrong indent.",
        Edit(".github/workflows/ci.yml", "      - run: pip install ansible-lint\n", PIP),
        Todos(("Find the slow steps", "Add caches"), "Measure again"),
    )
    story.claude(
        Bash("git push -q && gh run watch --exit-status", "plan  pass  1m31s\nlint  pass  0m48s", "Push and wait")
    )
    bash_progress(story, 2, ("", "plan  in progress", "plan  pass  1m31s"))
    story.claude("""
        11 min 20 s → **1 min 31 s**.

        | step | before | now |
        |---|---:|---:|
        | terraform init | 388 s | 9 s |
        | pip install | 122 s | 6 s |
    """)
    turn_over(story, (".claude/hooks/format.sh",))
    story.you("why is the lock file in the key?", 80)
    story.claude("""
        `.terraform.lock.hcl` names the provider versions. When it changes, the cache would hold the old ones: the key
        changes with it, and `restore-keys` still gives a warm start.
    """)
    story.you("ok. is there a secret in the cache?")
    story.claude(
        "No: `.terraform/providers` holds binaries only. The state and the credentials are "
        "elsewhere (`backend.tf`, OIDC)."
    )
    story.you("PR")
    story.claude(Bash("gh pr create --fill", "https://github.com/harbor-example/infra/pull/31"))
    pr_link(story, 31, GITHUB)
    story.claude("https://github.com/harbor-example/infra/pull/31")
    turn_over(story)
    return {session_file(story): story.text()}


STEPS = output("""
    checkout                4
    setup-terraform         7
    terraform init        388
    terraform plan         61
    pip install           122
    ansible-lint           95
""")

CACHE = """      - uses: actions/cache@v4
        with:
          path: .terraform/providers
          key: tf-${{ hashFiles('.terraform.lock.hcl') }}
          restore-keys: tf-
      - run: terraform init
"""

PIP = """      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
          cache: pip
      - run: pip install ansible-lint
"""
