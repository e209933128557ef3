"""The files of `site`, an invented documentation site."""

from __future__ import annotations

from .prose import code

BANNER = code("""
    ---
    const { lang = "en" } = Astro.props;
    import { t } from "../i18n";
    ---
    <div id="cookie-banner" class="banner" role="dialog" aria-label={t(lang, "cookies.title")}>
      <p>{t(lang, "cookies.text")}</p>
      <button data-choice="all">{t(lang, "cookies.all")}</button>
      <button data-choice="none">{t(lang, "cookies.none")}</button>
    </div>

    <script>
      const banner = document.getElementById("cookie-banner")!;
      if (document.cookie.includes("consent=")) banner.remove();
      banner.addEventListener("click", (event) => {
        const choice = (event.target as HTMLElement).dataset.choice;
        if (!choice) return;
        document.cookie = `consent=${choice}; path=/`;
        banner.remove();
      });
    </script>

    <style>
      .banner { position: fixed; bottom: 0; z-index: 10; background: white; }
    </style>
""")

SEARCH = code("""
    import { getCollection } from "astro:content";

    export interface Entry {
      url: string;
      title: string;
      words: string[];
    }

    /** Every page with its words, for the search box. */
    export async function buildIndex(): Promise<Entry[]> {
      const pages = await getCollection("docs");
      const entries: Entry[] = [];
      for (const page of pages) {
        const { remarkPluginFrontmatter } = await page.render();
        const words = page.body.toLowerCase().split(/\\W+/);
        for (const other of pages) {
          if (other.body.includes(page.slug)) words.push(other.slug);
        }
        entries.push({ url: `/${page.slug}/`, title: page.data.title, words });
      }
      return entries;
    }

    export function search(index: Entry[], query: string): Entry[] {
      const wanted = query.toLowerCase().split(/\\s+/);
      return index.filter((entry) => wanted.every((word) => entry.words.includes(word)));
    }
""")

SEARCH_TEST = code("""
    import { describe, expect, it } from "vitest";
    import { search } from "../src/lib/search-index";

    const index = [
      { url: "/install/", title: "Install", words: ["install", "npm"] },
      { url: "/upgrade/", title: "Upgrade", words: ["upgrade", "npm"] },
    ];

    describe("search", () => {
      it("needs every word", () => {
        expect(search(index, "npm install").map((entry) => entry.url)).toEqual(["/install/"]);
      });
    });
""")

I18N = code("""
    import en from "./en.json";

    const texts: Record<string, Record<string, string>> = { en };

    export function t(lang: string, key: string): string {
      return texts[lang]?.[key] ?? texts.en[key] ?? key;
    }
""")

EN = code("""
    {
      "nav.docs": "Documentation",
      "nav.search": "Search",
      "cookies.title": "Cookies",
      "cookies.text": "We count visits without a name. May we?",
      "cookies.all": "Yes",
      "cookies.none": "No",
      "footer.updated": "Last updated on {date}"
    }
""")

LAYOUT = code("""
    ---
    import CookieBanner from "../components/CookieBanner.astro";
    const { title, lang = "en" } = Astro.props;
    ---
    <html lang={lang}>
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
      </head>
      <body>
        <slot />
        <CookieBanner lang={lang} />
      </body>
    </html>
""")

PACKAGE = code("""
    {
      "name": "site",
      "type": "module",
      "scripts": {
        "dev": "astro dev",
        "build": "astro check && astro build",
        "test": "vitest run"
      },
      "dependencies": { "astro": "^5.14.0" },
      "devDependencies": { "typescript": "^5.9.0", "vitest": "^3.2.0" }
    }
""")

CI = code("""
    name: ci
    on: [push, pull_request]
    jobs:
      build:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v5
          - uses: actions/setup-node@v5
            with:
              node-version: 24
          - run: npm ci
          - run: npm test
          - run: npm run build
""")

SITE = {
    ".github/workflows/ci.yml": CI,
    "package.json": PACKAGE,
    "src/components/CookieBanner.astro": BANNER,
    "src/i18n/en.json": EN,
    "src/i18n/index.ts": I18N,
    "src/layouts/Base.astro": LAYOUT,
    "src/lib/search-index.ts": SEARCH,
    "tests/search.test.ts": SEARCH_TEST,
}
ROOT = "/home/ana/code/site"
GITHUB = "harbor-example/site"
