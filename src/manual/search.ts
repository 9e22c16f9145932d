import type { ManualPage } from "./manual.ts";

/** A section of a page that contains all words of a search. */
export interface SearchResult {
  page: ManualPage;
  /** Title of the section. */
  heading: string;
  /** Id of the section's heading in the page's HTML; empty for the beginning of the page. */
  anchor: string;
  /** Plain text around the first match. */
  excerpt: string;
}

const wordsMax = 8;
const resultsMax = 20;
const excerptLength = 200;

/** A part of a page below one heading, prepared for searches. */
export interface Section {
  page: ManualPage;
  heading: string;
  anchor: string;
  body: string;
  searched: string;
}

/** Returns the sections of all pages, in their order. */
export function manualSections(pages: readonly ManualPage[]): Section[] {
  return pages.flatMap((page) => sectionsOf(page));
}

/**
 * Returns the sections that contain all words of the query as parts of words, ignoring case. Sections with more of
 * the words in their title come first, then the manual's order.
 */
export function searchManual(sections: readonly Section[], query: string): SearchResult[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return [];
  return sections
    .filter(({ searched }) => words.every((word) => searched.includes(word)))
    .map((section) => ({ section, score: titleScore(section.heading, words) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, resultsMax)
    .map(({ section: { page, heading, anchor, body } }) => ({
      page,
      heading,
      anchor,
      excerpt: excerptOf(body, words[0]!),
    }));
}

/** Returns the id that Bun's Markdown renderer gives a heading. */
function headingId(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}

function sectionsOf(page: ManualPage): Section[] {
  const sections: Section[] = [];
  let lines: string[] = [];
  let heading = page.title;
  let anchor = "";
  let inCode = false;
  const finish = () => {
    const body = plainText(lines.join(" "));
    const searched = `${heading} ${body}`.toLowerCase();
    sections.push({ page, heading, anchor, body, searched });
    lines = [];
  };
  for (const line of page.text.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const title = inCode ? undefined : /^#{2,4} (.+)$/.exec(line)?.[1];
    if (title !== undefined) {
      finish();
      heading = plainText(title);
      anchor = headingId(heading);
    } else if (!line.startsWith("# ") && !line.startsWith("```")) lines.push(line);
  }
  finish();
  return sections;
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\||-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function titleScore(heading: string, words: string[]): number {
  const title = heading.toLowerCase();
  return words.filter((word) => title.includes(word)).length;
}

/** Returns whole words around the first match. */
function excerptOf(body: string, word: string): string {
  const wanted = Math.max(0, body.toLowerCase().indexOf(word) - excerptLength / 4);
  const start = wanted === 0 ? 0 : body.indexOf(" ", wanted) + 1;
  const rest = body.slice(start);
  if (rest.length <= excerptLength) return `${start > 0 ? "… " : ""}${rest}`;
  const end = rest.lastIndexOf(" ", excerptLength);
  return `${start > 0 ? "… " : ""}${rest.slice(0, end === -1 ? excerptLength : end).toWellFormed()} …`;
}
