"""A state lock that nobody holds; the session ends in the middle of a line."""

from __future__ import annotations

from .blocks import Think
from .infra_files import INFRA, ROOT
from .prose import output
from .repo import Repo
from .scenes import hook_success, notification, opening, shell, turn_over
from .story import Story
from .tools_files import Edit, Read
from .tools_other import Bash, Denied
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file; its last line is half written."""
    story = Story(Repo(ROOT, INFRA), "infra/state", "2.1.231", "2026-11-17T19:31:00", branch="main")
    opening(story, "Terraform state lock after a cancelled apply", "terraform 1.13.5")
    shell(story, "terraform plan", "", LOCKED)
    story.you("Terraform says the state is locked since this afternoon. Who holds it, and can I unlock?", 20)
    story.claude(
        Think(),
        "First who holds the lock; unlocking is the last step, not the first.",
        Bash(
            "aws dynamodb scan --table-name harbor-tflock --query 'Items[].Info.S' --output text", INFO, "Read the lock"
        ),
        Bash("gh run list --workflow ci.yml --limit 4", RUNS, "Look at the last CI runs"),
        Read("terraform/backend.tf"),
    )
    story.claude("""
        The lock is from **CI run 4471**, `apply` at 15:02. That run was *cancelled* at 15:04, so nobody holds it any
        more: the process was killed before it could let go.

        Before unlocking I'd check that the cancelled apply did not change anything half way.
    """)
    turn_over(story)
    story.you("check. plan without lock is fine, right?")
    story.claude(
        Bash("terraform plan -lock=false -refresh-only", about="Compare state and reality", background="bt31xk9")
    )
    story.claude("It reads only, so yes. It runs in the background, about two minutes.")
    notification(story, "bt31xk9", 'Background command "Compare state and reality" completed (exit code 0)')
    story.claude(
        Bash(
            "tail -n 2 /home/ana/.cache/claude/tasks/bt31xk9.output",
            "No changes. Your infrastructure still matches the configuration.",
        )
    )
    story.claude(
        "State and reality agree. Now the lock can go.",
        Denied(Bash("terraform force-unlock -force 9f1c2a44-1f0e-77d0-b0a7-d81f3b1f5a10", about="Remove the lock")),
    )
    story.you("I do that myself", 15)
    shell(
        story,
        "terraform force-unlock 9f1c2a44-1f0e-77d0-b0a7-d81f3b1f5a10",
        "Terraform state has been successfully unlocked!",
    )
    story.you("and make sure a cancelled run does not do this again")
    story.claude(
        Think(
            "GitHub sends SIGINT, waits 7.5 s, then SIGKILL. concurrency without cancel-in-progress keeps apply alive."
        ),
        Edit(
            ".github/workflows/ci.yml",
            "jobs:\n",
            "concurrency:\n  group: terraform\n  cancel-in-progress: false\njobs:\n",
        ),
        Edit("terraform/backend.tf", '    dynamodb_table = "harbor-tflock"\n', "    use_lockfile   = true\n"),
        Bash("terraform fmt -check -recursive && terraform validate", "Success! The configuration is valid."),
    )
    hook_success(story, "PostToolUse:Edit", "PostToolUse", "terraform fmt: ok", ".claude/hooks/tf-fmt.sh")
    story.claude("""
        - runs of the same group now **wait** instead of being cancelled
        - `use_lockfile` keeps the lock beside the state in S3; the DynamoDB table is deprecated and can go later
    """)
    story.claude("One more thing: the lock table still costs 0.30 a month; I'd remove it in December.")
    half = story.lines.pop()
    return {session_file(story): story.text() + half[: len(half) * 2 // 3]}


LOCKED = output("""
    Error: Error acquiring the state lock
    Lock Info:
      ID:        9f1c2a44-1f0e-77d0-b0a7-d81f3b1f5a10
      Operation: OperationTypeApply
      Who:       runner@ci-4471
      Created:   2026-11-17 15:02:11 UTC
""")
INFO = '{"ID":"9f1c2a44-1f0e-77d0-b0a7-d81f3b1f5a10","Operation":"OperationTypeApply","Who":"runner@ci-4471"}'
RUNS = output("""
    completed  success    Bump provider       ci  main  4473
    completed  cancelled  Resize web          ci  main  4471
    completed  success    Resize web          ci  pull  4470
    completed  success    Lint                ci  pull  4466
""")
