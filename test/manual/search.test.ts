import { expect, test } from "bun:test";
import { manualPages, type ManualPage } from "../../src/manual/manual.ts";
import { manualSections, searchManual } from "../../src/manual/search.ts";

function page(topic: string, text: string): ManualPage {
  return { topic, title: /^# (.+)$/m.exec(text)![1]!, summary: "", text };
}

test("a search finds the sections that contain all words, those with the words in their title first", () => {
  const pages = [
    page("first", "# First\n\nA retry of a Delivery.\n\n## Other\n\nNothing about it.\n"),
    page("second", "# Second\n\n## Retry a delivery\n\nSee `first`.\n"),
  ];
  const found = searchManual(manualSections(pages), "DELIVERY retry").map(({ page: { topic }, anchor }) => [
    topic,
    anchor,
  ]);
  expect(found).toEqual([
    ["second", "retry-a-delivery"],
    ["first", ""],
  ]);
  expect(searchManual(manualSections(pages), "retry missing")).toEqual([]);
  expect(searchManual(manualSections(pages), " ")).toEqual([]);
});

test("a comment in a code block is not taken for a heading", () => {
  const pages = [page("one", "# One\n\n```sh\n## needle\n```\n")];
  expect(
    searchManual(manualSections(pages), "needle").map(({ heading, anchor }) => [heading, anchor]),
  ).toEqual([["One", ""]]);
});

test("an excerpt begins and ends at a word and shows the match without markup", () => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ");
  const pages = [page("one", `# One\n\n${words} \`needle\`: [link](one.md) ${words}\n`)];
  const [result] = searchManual(manualSections(pages), "needle");
  expect(result!.excerpt).toMatch(/^… word\d+ .*word99 needle: link word0 .* word\d+ …$/);
});

test("every section of the manual can be found by its title", () => {
  const sections = manualSections(manualPages);
  for (const { topic, text } of manualPages) {
    const titles = text.replaceAll(/^```[^]*?^```$/gm, "").match(/(?<=^## ).+$/gm) ?? [];
    for (const title of titles) {
      const found = searchManual(sections, title.replaceAll(/[`*]/g, ""));
      expect([title, found.some((result) => result.page.topic === topic)]).toEqual([title, true]);
    }
  }
});
