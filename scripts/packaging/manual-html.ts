import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toHtml } from "../../src/web/api/site/manual-pages.ts";
import { escapeMarkup } from "../../src/platform/lib/safe-text.ts";
import { manualPages } from "../../src/manual/manual.ts";
import { projectPackage, root } from "./source.ts";

/** Returns the whole manual as one HTML page, which a browser can open from a file and print. */
export function renderManual(): string {
  const style = readFileSync(join(root, "src/web/api/site/manual.css"), "utf8");
  const contents = manualPages.map(
    ({ topic, title }) => `<li><a href="#${topic}">${escapeMarkup(title)}</a></li>`,
  );
  const chapters = manualPages.map(({ topic, text }) => {
    const html = toHtml(text)
      .replace(/<h1 id="[^"]*">/, `<h1 id="${topic}">`)
      // The appliance serves these files; a file has no address of it.
      .replaceAll(/<a href="(\/docs\/api|\/docs\/clients\/[^"]+)">([^<]*)<\/a>/g, "$2 (<code>$1</code>)")
      // The same heading is on several pages.
      .replaceAll(/<(h[2-6]) id="/g, `<$1 id="${topic}.`)
      .replaceAll(/href="#/g, `href="#${topic}.`)
      .replaceAll(/href="\/docs\/([a-z-]+)#/g, `href="#$1.`)
      .replaceAll(/href="\/docs\/([a-z-]+)"/g, `href="#$1"`);
    return `<section>${html}</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>phishwatch ${escapeMarkup(projectPackage.version)}: manual</title>
<style>
${style}</style></head>
<body>
<header><strong>phishwatch manual</strong> <span class="quiet">${escapeMarkup(projectPackage.version)}</span></header>
<div class="columns"><nav aria-label="Manual"><ul>${contents.join("")}</ul></nav>
<main id="content">
${chapters.join("\n")}
</main></div>
</body>
</html>
`;
}
