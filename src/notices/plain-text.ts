import type { Notice } from "./notice.ts";

/**
 * Renders a message as readable plain text, without a line break at the end.
 * @param options.title whether the text begins with the title; leave it out where the title is shown elsewhere
 */
export function plainText(notice: Notice, { title = true }: { title?: boolean } = {}): string {
  const blocks = [
    title ? notice.title : "",
    notice.summary,
    notice.facts.map(({ label, value }) => `${label}: ${value}`).join("\n"),
    itemLines(notice).join("\n"),
    notice.links.map(({ text, url }) => `${text}: ${url}`).join("\n"),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function itemLines({ items, more }: Notice): string[] {
  const lines = items.map(({ name, protectedDomain, domainInTitle, severity, reason }) => {
    const lookAlike = domainInTitle === true ? "" : `, look-alike of ${protectedDomain}`;
    const about = `${severityLabels[severity]}: ${name}${lookAlike}`;
    return reason === "" ? `- ${about}` : `- ${about}: ${reason}`;
  });
  return more > 0 ? [...lines, `and ${moreThreats(more)}`] : lines;
}

/** Severities at the beginning of a line. */
export const severityLabels = { high: "High", medium: "Medium", low: "Low" } as const;

/** Names the threats that are not listed: `1 more threat`, `584 more threats`. */
export function moreThreats(count: number): string {
  return `${count.toLocaleString("en")} more ${count === 1 ? "threat" : "threats"}`;
}
