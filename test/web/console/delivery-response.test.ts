import { expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import {
  Attempts,
  ResponseStart,
  failureTexts,
} from "../../../src/web/console/delivery-kit/delivery-parts.tsx";
import type { Attempt } from "../../../src/messaging/deliveries/delivery-log.ts";
import { visible } from "../../../src/platform/lib/safe-text.ts";

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

const failed = (
  causes: [total: number, statusCode: number | null, response: string | null][],
  total: number,
) => ({
  recipientId: "whk_1",
  recipientName: "soc",
  channel: "webhook",
  enabled: true,
  total,
  more: total === 10_000,
  queued: 0,
  examined: Math.min(total, 1_000),
  causes: causes.map(([count, statusCode, response]) => ({
    total: count,
    failure: statusCode === null ? "tls" : "status",
    error: statusCode === null ? "certificate has expired" : `HTTP status ${statusCode}`,
    statusCode,
    response,
  })),
});
const words = { one: "delivery", many: "deliveries", to: "soc" };

test.each([
  [
    failed([[867, 401, "token expired"]], 867),
    "867 deliveries to soc failed for good. All with 401 Unauthorized (“token expired”).",
  ],
  [failed([[1, null, ""]], 1), "1 delivery to soc failed for good. With Certificate has expired."],
  [
    failed(
      [
        [800, 401, null],
        [60, 599, "x"],
      ],
      867,
    ),
    "867 deliveries to soc failed for good. 800 with 401 Unauthorized, 60 with 599 (“x”) and 7 for other reasons.",
  ],
  [
    failed([[1_000, 503, "upstream error\\u{a}<html>"]], 10_000),
    "More than 10,000 deliveries to soc failed for good. The latest 1,000 of them with 503 Service Unavailable (“upstream error”).",
  ],
])(
  "failed deliveries are summed up by cause in a sentence that does not claim more than was read (%#)",
  (summary, text) => {
    const { title, causes } = failureTexts(summary, words);
    expect(`${title}. ${causes}`).toBe(text);
  },
);

const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  startedAt: 0,
  durationMs: 8,
  phases: {},
  address: "192.0.2.1",
  statusCode: 500,
  failure: "status",
  error: "HTTP status 500",
  response: "same",
  ...change,
});

test("consecutive attempts with the same outcome are one row, others are not", () => {
  const rows = (attempts: Attempt[]) =>
    renderToString(h(Attempts, { attempts })).match(/<td[^>]*class="tight on-state">.*?<\/td>/g)!.length;
  const same = [attempt(), attempt({ startedAt: 60_000, durationMs: 12 }), attempt({ startedAt: 90_000 })];
  expect(rows(same)).toBe(1);
  expect(renderToString(h(Attempts, { attempts: same }))).toContain("3 equal attempts");
  expect(renderToString(h(Attempts, { attempts: same }))).toContain("8–12 ms");
  expect(rows([attempt(), attempt({ response: "other" }), attempt()])).toBe(3);
});
