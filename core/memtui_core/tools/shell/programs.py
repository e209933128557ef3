"""Lists of programs by what they do."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


SHELLS = words("bash sh zsh dash")
KEYWORDS = words("if then elif else while until do ! {")
"""Words of the shell that can precede a program."""
WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": words("-u -g -h -p -C -D"),
    "env": words("-u -C"),
    "time": words("-f -o"),
    "nohup": frozenset(),
    "exec": words("-a"),
    "command": frozenset(),
    "nice": words("-n"),
    "timeout": words("-s -k"),
    "stdbuf": words("-i -o -e"),
    "xargs": words("-I -n -P -L -d -s -a -E"),
    "npx": words("-p --package"),
    **dict.fromkeys(("bunx", "uvx", "pnpx", "dotenv", "rtk"), frozenset()),
}
"""Programs that run another program, with those of their options that take a value."""
RUNNERS = frozenset(
    tuple(words.split()) for words in ("rtk proxy", "uv run", "poetry run", "bundle exec", "pnpm exec", "mise exec")
)
"""Pairs of words that run another program."""
VIEWERS = words("cat head tail less nl bat type Get-Content")
"""Programs that print files, on Windows too; `sed -n` is another one."""
TAKE_TEXT = words("echo printf alias say which pkill pgrep killall")
"""Programs whose arguments are prose or names, never files."""
TAKE_PATTERN = words("grep egrep fgrep zgrep rg ag ack sed awk gawk jq yq perl")
"""Programs whose first argument is a pattern or a script."""
KEEPS_CONTENT = VIEWERS - {"bat"} | words("wc ls file stat diff cmp grep egrep fgrep rg cd pwd echo chmod")
"""Programs that never change the content of a file."""
GIT_KEEPS_CONTENT = words("diff show log status blame add grep ls-files")
GIT_REWRITES = words("checkout switch stash rebase merge pull restore cherry-pick revert apply am reset")
"""Commands of git that may change any file of the working tree."""
FORMATTERS = words("black isort rustfmt gofmt goimports pre-commit")
"""Programs that rewrite all files they find."""
FORMAT_WITH = words("cargo go mix ruff deno dart terraform dune make just npm pnpm yarn bun")
"""Programs that rewrite all files with the subcommand `fmt` or `format`."""
BLOCKS = words("for case function done fi esac } [ [[ in select")
"""Words that start a part of a script without a program."""
LOOKS = words(
    """
    cd pushd popd ls ll cat bat head tail less more nl echo printf pwd sleep wait true false test grep egrep fgrep rg ag
    ack find fd wc sort uniq cut tr awk gawk sed jq yq xxd od hexdump file stat du df tree which whereis type command
    ps pgrep top kill pkill killall lsof ss netstat env export unset set source . eval exit return read trap date whoami
    hostname uname id mkdir touch basename dirname realpath readlink diff cmp comm tee xargs history alias local declare
    shopt curl wget ping column seq yes clear open md5sum sha256sum strings jobs bg fg disown man help printenv
    break continue shift mktemp ulimit umask tput stty rev fold paste expr let
    """
)
"""Programs that display, wait or connect other programs: summaries do not mention them."""
LOOKING = words(
    """
    list ls show view status log logs get describe ps inspect info help version search diff ready whoami which where
    config cat top tree outdated why check-ignore rev-parse rev-list ls-files ls-tree ls-remote blame branch fetch
    remote add api merge-base shortlog reflog cat-file for-each-ref symbolic-ref name-rev grep bisect images history
    instructions
    """
)
"""Subcommands with which a program only displays something, or prepares for the next command."""
CHANGING_ADD = words("npm pnpm yarn bun cargo uv poetry go dotnet bd claude brew")
"""Programs whose `add` does more than prepare for the next command."""
RUN_FILES = words("python python3 python2 node deno bun ruby perl php bash sh zsh java lua elixir Rscript")
"""Programs that run a file."""
ON_FILES = words("rm mv cp ln chmod chown tar unzip zip gzip gunzip scp rsync rmdir trash truncate dd install")
"""Programs of which only the files are significant."""
COMPILERS = words("javac javap kotlinc gcc g++ clang clang++ cc rustc ghc tsc scalac ld ar nasm")
DEEP = words("run exec compose stash worktree pr issue workflow release tool dep pip")
"""Subcommands that are followed by another subcommand."""
TWO_LEVELS = words("gh glab kubectl az gcloud aws flyctl fly")
"""Programs with two levels of subcommands."""
VALUED = words("-C -c --git-dir --work-tree -m --message --body --title -F --reason -o -cp -classpath")
"""Options with a value in the next word."""
NO_ARGUMENTS = words("HEAD origin main master dev/null")
"""Arguments that do not distinguish commands."""
