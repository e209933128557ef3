"""A slow search index: progress lines, a subagent, an automatic compaction and the agent that wrote its summary."""

from __future__ import annotations

from .agents import Subagent, agent_progress
from .blocks import Think
from .compaction import Summary, acompact, compact
from .prose import code, output
from .repo import Repo
from .scenes import bash_progress, hook_progress, last_call, pr_link, queued, turn_over
from .site_files import GITHUB, ROOT, SITE
from .story import Story
from .tools_files import Edit, Grep, Read, Write
from .tools_other import Bash
from .transcript import Files, project_folder, session_file

PROMPT = "Measure which part of buildIndex is slow. Read only, change nothing, report numbers."


def tell() -> Files:
    """Return the session's file and those of its subagents."""
    files: Files = {}
    story = Story(
        Repo(ROOT, SITE),
        "site/search",
        "2.1.39",
        "2026-11-09T13:10:00",
        branch="fast-search",
        slug="swift-mapping-heron",
        model="claude-opus-4-6",
    )
    hook_progress(story, "SessionStart", "SessionStart:startup", ".claude/hooks/hello.sh")
    measure(story, files)
    writer = acompact(story, SUMMARY, "5c21fe")
    files[f"{project_folder(ROOT)}/{story.session}/subagents/agent-acompact-5c21fe.jsonl"] = writer.text()
    compact(story, SUMMARY, before=163_870)
    rebuild(story)
    files[session_file(story)] = story.text()
    return files


def measure(story: Story, files: Files) -> None:
    """Where the time goes."""
    story.you("npm run build takes 4 minutes since we have 900 pages, search index is most of it. why?")
    agent = Subagent(story, "general-purpose", "Measure the index", PROMPT, find_slow, files)
    story.claude(Think("Let someone measure while I read the code."), "I'll have it measured while I read.", agent)
    assert agent.written is not None
    agent_progress(story, agent.written, PROMPT, last_call(story))
    story.claude(Read("src/lib/search-index.ts"), Grep("buildIndex", glob="**/*.ts"))
    hook_progress(story, "PostToolUse", "PostToolUse:Read", ".claude/hooks/count-reads.sh")
    story.claude("""
        Two loops over all pages, one inside the other: **900 x 900 = 810,000** calls of `includes` over whole pages.
        And every page is *rendered* although only its text is used.

        | part | time |
        |---|---:|
        | rendering | 71 s |
        | links between pages | 138 s |
        | splitting words | 2 s |
    """)
    turn_over(story, (".claude/hooks/format.sh",))
    queued(story, "also the index file itself is 11 MB, phones hate it")


def find_slow(agent: Story) -> str:
    """Measure."""
    agent.claude(
        Read("src/lib/search-index.ts"), Bash("node --cpu-prof scripts/time-index.mjs", TIMES, "Profile the index")
    )
    said = "Rendering takes 71 s, the nested loop over links 138 s, splitting words 2 s. The result is 11.2 MB of JSON."
    agent.claude(said)
    return said


SUMMARY = Summary(
    intent="Make the search index fast to build and small to load; the build takes 4 minutes with 900 pages.",
    concepts=("Astro content collections", "inverted index", "sharding by first letter"),
    files=("`src/lib/search-index.ts`: `buildIndex()` renders every page and loops over pages twice",),
    errors=(),
    solving="Measured by a subagent: rendering 71 s, links 138 s, words 2 s; 11.2 MB of JSON.",
    asked=("npm run build takes 4 minutes since we have 900 pages, search index is most of it. why?",),
    pending=("Build without rendering, links in one pass", "Split the index so that a phone loads less"),
    current="The causes are known; nothing is changed yet.",
    following="Rewrite `buildIndex()` as an inverted index in shards.",
)


def rebuild(story: Story) -> None:
    """The new index."""
    story.you("ok rebuild it. keep the tests, add one for a word that is in two pages", 500)
    story.claude(
        Think("Inverted: word to page numbers, a file for each first letter. Links: one regular expression per page."),
        Write("src/lib/search-index.ts", NEW),
        Bash("npm test", FAILED, "Run the tests", code=1),
    )
    bash_progress(story, 3, ("", " RUN  v3.2.4", " RUN  v3.2.4\n ❯ tests/search.test.ts (1 test | 1 failed)"))
    story.claude(
        "The old test builds its index by hand in the old shape; I keep its meaning and build it with `invert()`.",
        Edit("tests/search.test.ts", "const index = [", "const index = invert(["),
        Edit("tests/search.test.ts", "];\n\ndescribe", "]);\n\ndescribe"),
        Edit("tests/search.test.ts", "import { search }", "import { invert, search }"),
        Bash(
            "npm test", " ✓ tests/search.test.ts (2 tests) 4ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)"
        ),
        order=(2, 1, 0, 3),
    )
    story.claude("""
        Build: 4 min 2 s → **38 s**. A phone now loads the shards that it needs, about **40 kB** for a query.

        1. no rendering, the Markdown source is enough
        2. links are found in one pass
        3. `search/<letter>.json` instead of one file
    """)
    turn_over(story)
    story.you("nice!! PR please, and cache node_modules in ci while you are at it", 90)
    story.claude(
        Edit(
            ".github/workflows/ci.yml",
            "          node-version: 24\n",
            "          node-version: 24\n          cache: npm\n",
        ),
        Bash("gh pr create --fill", "https://github.com/harbor-example/site/pull/64", "Open a pull request"),
    )
    pr_link(story, 64, GITHUB)
    story.claude("PR #64 is open; CI now caches npm.")
    story.system(
        "local_command",
        {
            "content": (
                "<command-name>/context</command-name>\n            "
                "<command-message>context</command-message>\n            "
                "<command-args></command-args>"
            ),
            "level": "info",
        },
    )
    turn_over(story)


TIMES = output("""
    render      71.2 s
    links      138.4 s
    words        2.1 s
    dist/search.json 11.2 MB
""")

NEW = code("""
    import { getCollection } from "astro:content";

    export interface Page {
      url: string;
      title: string;
      words: string[];
    }

    export interface Index {
      pages: { url: string; title: string }[];
      words: Record<string, number[]>;
    }

    /** Word to pages: looking up a word costs the same for nine pages or nine thousand. */
    export function invert(pages: Page[]): Index {
      const words: Record<string, number[]> = {};
      pages.forEach((page, number) => {
        for (const word of new Set(page.words)) (words[word] ??= []).push(number);
      });
      return { pages: pages.map(({ url, title }) => ({ url, title })), words };
    }

    export async function buildIndex(): Promise<Index> {
      const docs = await getCollection("docs");
      return invert(
        docs.map((doc) => ({
          url: `/${doc.slug}/`,
          title: doc.data.title,
          words: doc.body.toLowerCase().split(/\\W+/).filter(Boolean),
        })),
      );
    }

    export function search(index: Index, query: string) {
      const lists = query.toLowerCase().split(/\\s+/).map((word) => index.words[word] ?? []);
      const [first = [], ...rest] = lists;
      return first.filter((page) => rest.every((list) => list.includes(page))).map((page) => index.pages[page]);
    }
""")

FAILED = output("""
     RUN  v3.2.4
     ❯ tests/search.test.ts (1 test | 1 failed) 6ms
       × search > needs every word
         → Cannot read properties of undefined (reading 'npm')

     Test Files  1 failed (1)
          Tests  1 failed (1)
""")
