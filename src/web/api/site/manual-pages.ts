import { findManualPage, manualPages, type ManualPage } from "../../../manual/manual.ts";
import { manualSections, searchManual } from "../../../manual/search.ts";
import { escapeMarkup } from "../../../platform/lib/safe-text.ts";

/** Pages of the manual as HTML. They contain no script and load one style sheet from this server. */

/** Pages with fewer headings have no list of contents. */
const headingsMin = 4;

export const manualPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Returns the list of pages or, with a query, the sections that match it. */
export function manualIndex(version: string, query: string | null): string {
  if (query !== null && query.trim() !== "") return searchPage(version, query);
  const rows = manualPages
    .map(({ topic, title, summary }) => {
      const name = `<a href="/docs/${topic}">${escapeMarkup(title)}</a>`;
      return `<dt>${name}</dt><dd>${inline(summary)}</dd>`;
    })
    .join("\n");
  return layout({
    title: "Manual",
    version,
    main: `<h1>phishwatch manual</h1>
<p class="quiet">Version ${escapeMarkup(version)}. In a terminal: <code>phishwatch help TOPIC</code>.
The reference of the HTTP API is at <a href="/docs/api">/docs/api</a>.</p>
<dl>${rows}</dl>`,
  });
}

/** Returns undefined for a topic that does not exist. */
export function manualPage(version: string, topic: string): string | undefined {
  const page = findManualPage(topic);
  if (page === undefined) return undefined;
  const text = toHtml(page.text);
  const main = text.replace("</p>", () => `</p>${contents(text)}`) + neighbors(page);
  return layout({ title: page.title, version, current: page, main });
}

/** Returns links to the sections of a page, so that readers can skip long tables; empty for a short page. */
export function contents(html: string): string {
  const headings = [...html.matchAll(/<h[23] id="([^"]+)">([^]*?)<\/h[23]>/g)];
  if (headings.length < headingsMin) return "";
  const links = headings.map(([, id, title]) => {
    const text = title!.replaceAll(/<[^>]+>/g, "");
    return `<li><a href="#${id}">${text}</a></li>`;
  });
  return `<nav class="contents" aria-label="On this page"><ul>${links.join("")}</ul></nav>`;
}

function neighbors(page: ManualPage): string {
  const index = manualPages.indexOf(page);
  const link = (neighbor: ManualPage | undefined, label: string) =>
    neighbor === undefined
      ? ""
      : `<span>${label}: <a href="/docs/${neighbor.topic}">${escapeMarkup(neighbor.title)}</a></span>`;
  const links = link(manualPages[index - 1], "Previous") + link(manualPages[index + 1], "Next");
  return `<nav class="neighbors" aria-label="Previous and next page">${links}</nav>`;
}

function searchPage(version: string, query: string): string {
  const results = searchManual(manualSections(manualPages), query);
  const found = results
    .map(({ page, heading, anchor, excerpt }) => {
      const address = `/docs/${page.topic}${anchor === "" ? "" : `#${anchor}`}`;
      const title = heading === page.title ? heading : `${page.title}: ${heading}`;
      return `<dt><a href="${escapeMarkup(address)}">${escapeMarkup(title)}</a></dt><dd>${escapeMarkup(excerpt)}</dd>`;
    })
    .join("\n");
  const shown = escapeMarkup(query.slice(0, 100));
  const main =
    results.length === 0
      ? `<p>No section of the manual contains all of these words. Try fewer words, or see <a href="/docs">all pages</a>.</p>`
      : `<dl>${found}</dl>`;
  return layout({ title: "Search", version, query, main: `<h1>Search: ${shown}</h1>${main}` });
}

/** Returns a page with the navigation of the manual. `main` is HTML. */
export function layout({
  title,
  version,
  main,
  current,
  query = "",
}: {
  title: string;
  version: string;
  main: string;
  current?: ManualPage;
  query?: string;
}): string {
  const links = manualPages.map((page) => {
    const here = page === current ? ` aria-current="page"` : "";
    return `<li><a href="/docs/${page.topic}"${here}>${escapeMarkup(page.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)} – phishwatch manual</title><link rel="icon" href="/favicon.ico" type="image/svg+xml"><link rel="stylesheet" href="/docs/manual.css"></head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><strong><a href="/docs">phishwatch manual</a></strong> <span class="quiet">${escapeMarkup(version)}</span>
<a href="/docs/api">API reference</a> <a href="/console">Console</a>
<form action="/docs" role="search"><input type="search" name="q" aria-label="Search the manual" placeholder="Search" value="${escapeMarkup(query.slice(0, 100))}"><button type="submit">Search</button></form></header>
<div class="columns"><nav aria-label="Manual"><ul>${links.join("")}</ul></nav><main id="content">${main}</main></div>
</body>
</html>
`;
}

/**
 * Links between pages are written for files (`configure.md#server`), so that they also work in a repository. Code
 * and tables that are wider than the page scroll on their own, with the keyboard too.
 */
export function toHtml(markdown: string): string {
  return Bun.markdown
    .html(markdown, { headings: { ids: true }, noHtmlBlocks: true, noHtmlSpans: true })
    .replaceAll(/href="([a-z-]+)\.md(#[^"]*)?"/g, (_match, topic: string, anchor = "") => {
      return `href="/docs/${topic}${anchor}"`;
    })
    .replaceAll(/<(t[hd]) align="(\w+)">/g, `<$1 class="$2">`)
    .replaceAll("<pre>", `<pre tabindex="0">`)
    .replaceAll("<table>", `<div class="scroll" tabindex="0"><table>`)
    .replaceAll("</table>", "</table></div>");
}

/** Returns the HTML of one paragraph of Markdown without its `<p>`. */
export function inline(markdown: string): string {
  return toHtml(markdown).replaceAll(/^<p>|<\/p>\s*$/g, "");
}
