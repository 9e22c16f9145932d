import { expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { ResponseStart } from "../../src/console/pages/deliveries/delivery-parts.tsx";
import { visible } from "../../src/lib/safe-text.ts";

/** As it comes from a receiver and is kept. */
const shown = (response: string) => renderToString(h(ResponseStart, { response: visible(response, 1_024) }));

test("a receiver's response keeps its line breaks, and other hidden characters are escaped", () => {
  const html = shown("<html>\r\n<title>502</title>\n\tBad\u{202e}Gateway\n");
  expect(html).toContain("<bdi>&lt;html>\n&lt;title>502&lt;/title>\n\tBad\\u{202e}Gateway</bdi>");
});

test("only the first twenty lines of a long response are shown, and nothing of an empty one", () => {
  const html = shown(Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n"));
  expect(html).toContain("line 19</bdi>");
  expect(shown(" \r\n\n")).toBe("");
});
