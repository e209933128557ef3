"""Which commands change something."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.tools.shell.commands import simple_commands
from memtui_core.tools.shell.effects import has_side_effects

CHANGES = """
cd x && rm -rf y
echo hi > f
ls >> log
echo a &> f
git -C p commit
git commit -m "add a file"
git -c user.name=a --no-pager push
git tag v1
git tag -d v1
git branch new
git branch -D old
git worktree add ../x
git worktree remove ../x
git stash
git stash pop
git remote add o u
git checkout -- a
git fetch
rm a
/bin/rm a
"rm" a
\\rm a
rmdir a | cat
mv a b
mkdir -p a
touch a
chmod +x a
dd if=a of=b
printf x | tee f
kill 3
sed -i s/a/b/ f
sed -n -i.bak s/a/b/ f
perl -pi -e 's/a/b/' f
X=1 sudo -u ana rm b
env A=b git push
env -u A rm b
time make install
nohup cp a b &
timeout 60 git push
timeout -s KILL 60 git push
nice -n 5 cp a b
pip install x
pip3 uninstall -y x
python3 -m pip install x
uv add x
uv pip install x
npm i
npm --prefix web install
yarn
pnpm add x
cargo add x
cargo install x
apt-get -y install x
sudo apt install x
brew install x
curl -X POST u
curl -XDELETE u
curl --request PUT u
curl -d a=b u
curl -sSLo f u
curl -fsSLO u
curl --output f u
wget u
wget -O f u
docker run x
docker build .
docker compose -f a.yml up
docker-compose up -d
gh pr create --fill
gh pr merge 3
gh pr comment 3 -b x
gh api -X DELETE repos
make -C d install
bash -c "rm x"
bash -lc "cd a && git push"
bash -c "bash -c 'rm x'"
eval "rm x"
echo "$(git commit -m x)"
echo "`rm x`"
x=$(rm a)
`rm a`
echo $(cat "a b"; touch q)
ls | xargs rm
ls | xargs -I {} cp {} x
find . -name x -delete
find . -exec rm {} \\;
if true; then rm x; fi
(cd a; mkdir b)
! rm a
{ rm a; }
""".strip().splitlines()

LOOKS = """
ls 2>/dev/null
ls &>/dev/null
ls 2>&1 | tail
ls >&2
echo x > /dev/stderr
grep "rm -rf" a
grep '>' f
grep ";" f | wc -l
echo "a > b"
echo rm x
echo "$((1 > 2))"
git log | head
git commit-graph write
git status
git diff --stat
git -C p log
git tag
git tag -l 'v*'
git branch
git branch -a
git branch --contains x
git stash list
git worktree list
git remote -v
git
./rm-helper
./tools/git-commit
cargo test
cargo build &
npm run build
npm test
pip list
uv pip list
python -m pytest
make test
make
docker ps
docker compose logs
gh pr view 3
gh api repos
curl u
curl -s -o /dev/null -w "%{http_code}" u
wget -qO- u
wget -O - u
wget --spider u
sed -n 1,3p f
perl -Mstrict -ne "print if 1" f
command -v rm
which rm
# rm x
ls # > f
cat < f
wc -l <<< "x"
[[ a > b ]]
((a > b))
find . -name rm
find . -exec grep rm {} \\;
bash script.sh
bash -c
timeout 5
sudo
'rm
""".strip().splitlines()


@pytest.mark.spec("S1.5")
@pytest.mark.parametrize(
    "command", [*CHANGES, "for f in a; do\n rm $f\ndone", "grep '<<X' a\nrm b", "cat <<EOF > f\nhi\nEOF", "ls\nrm a"]
)
def test_commands_that_change_something(command: str) -> None:
    assert has_side_effects(command)


@pytest.mark.spec("S1.5")
@pytest.mark.parametrize(
    "command",
    [*LOOKS, "", "python - <<EOF\nrm x > y\nEOF", "cat <<'A B' | wc\nhi\n", "psql <<-SQL\n\tselect 1 > 2\n\tSQL\nls"],
)
def test_commands_that_only_look(command: str) -> None:
    assert not has_side_effects(command)


@pytest.mark.spec("S1.5")
def test_a_command_too_long_or_too_deep_to_look_at_counts_as_one_that_changes() -> None:
    assert has_side_effects("ls " + "x" * 20_000)
    deep = "ls"
    for _ in range(6):
        deep = f"eval {deep}"
    assert has_side_effects(deep)


def test_a_command_is_taken_apart_as_a_shell_would() -> None:
    found = list(simple_commands('A=1 git log \'a;b\' >x 2>&1 | sort "$(date) $(id -u)" > "y z" # end\n\ncat <in'))
    assert [(one.words, one.outputs, one.inputs, one.inner, one.piped) for one in found if one.words] == [
        (("A=1", "git", "log", "a;b"), ("x",), (), (), False),
        (("sort", "$(date) $(id -u)"), ("y z",), (), ("date", "id -u"), True),
        (("cat",), (), ("in",), (), False),
    ]


PIECES = """
rm ls git ; && | > >> 2>&1 << EOF <<< ' " \\ $( ) ` (( )) { } # [[ bash -c find -exec xargs timeout - eval é
""".split()  # noqa: SIM905


@given(st.lists(st.sampled_from([*PIECES, " ", "\n", "<<EOF\n"]) | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_is_a_command_after_another_one_and_none_when_quoted(text: str) -> None:
    assert has_side_effects(f"ls\n{text}") is has_side_effects(text)
    assert has_side_effects(f"rm a\n{text}") is True
    assert has_side_effects(f"grep -e {shlex.quote(text)} a.log") is False
