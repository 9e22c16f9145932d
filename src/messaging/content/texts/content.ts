import { cut } from "../cut.ts";
import type { Notice } from "../notice.ts";

/** A message without what is known only when it is recorded. */
export type NoticeContent = Omit<Notice, "id" | "at">;

const titleLengthMax = 150;
const summaryLengthMax = 600;
const factsMax = 10;
const labelLengthMax = 60;
const valueLengthMax = 300;

/** Completes a message with empty parts, and bounds all texts. */
export function content(
  given: Pick<NoticeContent, "kind" | "tone" | "title"> & Partial<NoticeContent>,
): NoticeContent {
  const { title, summary = "", facts = [], items = [], more = 0, links = [], ...rest } = given;
  return {
    threat: null,
    condition: null,
    ...rest,
    title: cut(title, titleLengthMax),
    summary: cut(summary, summaryLengthMax),
    facts: facts
      .filter(({ value }) => value !== "")
      .slice(0, factsMax)
      .map(({ label, value }) => ({ label: cut(label, labelLengthMax), value: cut(value, valueLengthMax) })),
    items,
    more,
    links,
  };
}

/** Joins texts as `a`, `a and b`, or `a, b and c`. */
export function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
