import { describe, expect, test } from "bun:test";
import {
  escapeMarkdown,
  hasPublicName,
  markdownLink,
} from "../../../../src/messaging/channels/texts/markup.ts";
import {
  aroundName,
  bounded,
  escapedWithin,
  firstThatFits,
} from "../../../../src/messaging/channels/texts/notice-text.ts";
import { escapeMarkup } from "../../../../src/platform/lib/safe-text.ts";
import { hostileNotice, sampleNotices } from "../../../support/notices.ts";

describe("a text that is escaped within a limit", () => {
  test.each([
    ["short", 10, "short"],
    ["a & b", 10, "a &amp; b"],
    ["a & b", 8, "a &amp;…"],
    ["a & b", 6, "a…"],
    ["&&&&&&", 11, "&amp;…"],
    ["&&&&&&", 4, "…"],
    ["text", 0, ""],
    ["one\r\ntwo", 20, "one\ntwo"],
    ["\u202ebad", 20, "\\u{202e}bad"],
    ["\ud800", 20, "\\u{d800}"],
    // A flag has four code units.
    ["\u{1f1e9}\u{1f1ea}\u{1f1e9}\u{1f1ea}", 5, "\u{1f1e9}\u{1f1ea}…"],
  ])("%j has at most %i code units: %j", (text, lengthMax, expected) => {
    expect(escapedWithin(text, lengthMax, escapeMarkup)).toBe(expected);
  });

  test("is well-formed and keeps the limit, whatever the limit is", () => {
    for (let lengthMax = 0; lengthMax < 600; lengthMax += 1) {
      const text = escapedWithin(hostileNotice.summary, lengthMax, escapeMarkup);
      expect(text.length).toBeLessThanOrEqual(lengthMax);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
    }
  });
});

test("a message is rendered with shorter texts until it fits, and with the shortest if it never does", () => {
  const tried: number[] = [];
  const render = (textMax: number) => {
    tried.push(textMax);
    return "x".repeat(textMax);
  };
  expect(firstThatFits(render, (text) => text.length < 300)).toHaveLength(250);
  expect(tried).toEqual([1_000, 500, 250]);
  expect(firstThatFits(render, () => false)).toHaveLength(60);
});

test("a message shows at most 10 facts, 10 threats and 5 links, and counts the threats that it leaves out", () => {
  const { title, facts, items, links, more } = bounded({ ...hostileNotice, title: "one\n two" });
  expect([title, facts.length, items.length, links.length]).toEqual(["one two", 10, 10, 5]);
  expect(more).toBe(sampleNotices.threats.more + 30);
});

test.each([
  ["*b* _i_ ~s~ `c` |x|", "\\*b\\* \\_i\\_ \\~s\\~ \\`c\\` \\|x\\|"],
  ["[text](https://evil.example)", "\\[text\\](https\\://evil.example)"],
  ["![image](//evil.example)", "\\!\\[image\\](//evil.example)"],
  ["# heading\n- item\n+ item\n1. item\n> quote", "\\# heading\n\\- item\n\\+ item\n1\\. item\n\\> quote"],
  ["<script>", "\\<script\\>"],
  ["www.evil.example", "www\u2060.evil.example"],
  ["@channel @everyone", "@\u2060channel @\u2060everyone"],
  [":smile: 12:30", "\\:smile: 12:30"],
  ["examp1e-bank[.]com", "examp1e-bank\\[.\\]com"],
  ["back\\slash", "back\\\\slash"],
])("Markdown shows %j as it is", (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});

test("the address of a Markdown link cannot end the link", () => {
  expect(markdownLink("text", "https://watch.example/a(b)")).toBe("[text](https://watch.example/a%28b%29)");
});

test.each([
  ["https://watch.example.com/console", true],
  ["https://xn--bnk-ula.example/", true],
  ["http://phishwatch:8080/", false],
  ["http://localhost:8080/", false],
  ["http://10.0.0.5:8080/", false],
  ["http://[fd00::1]/", false],
  ["https://phishwatch.internal/", false],
  ["https://phishwatch.local/", false],
])("the host of %s has a public name: %p", (url, expected) => {
  expect(hasPublicName(url)).toBe(expected);
});

test("the line of a threat names its protected domain, unless the title of the message does", () => {
  const [item] = sampleNotices.threats.items;
  expect(aroundName(item!)).toEqual([
    "High: ",
    expect.stringMatching(/^ \(look-alike of example-bank\.com\): /),
  ]);
  expect(aroundName({ ...item!, domainInTitle: true })).toEqual(["High: ", `: ${item!.reason}`]);
});
