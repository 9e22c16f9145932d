import type { Notice, NoticeItem } from "./notice.ts";

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
  const lines = items.map((item) => {
    const { name, severity, reason } = item;
    const relation = relationOf(item);
    const about = `${severityLabels[severity]}: ${name}${relation === "" ? "" : `, ${relation}`}`;
    return reason === "" ? `- ${about}` : `- ${about}: ${reason}`;
  });
  return more > 0 ? [...lines, `and ${moreThreats(more)}`] : lines;
}

/** Returns what a threat has to do with its protected domain: `look-alike of example.com`. Empty if the title says it. */
export function relationOf({
  domainInTitle,
  isPage,
  protectedDomain,
}: Pick<NoticeItem, "domainInTitle" | "isPage" | "protectedDomain">): string {
  if (domainInTitle === true) return "";
  return `${isPage === true ? "imitates" : "look-alike of"} ${protectedDomain}`;
}

/** Severities at the beginning of a line. */
export const severityLabels = { high: "High", medium: "Medium", low: "Low" } as const;

/** Names the threats that are not listed: `1 more threat`, `584 more threats`. */
export function moreThreats(count: number): string {
  return `${count.toLocaleString("en")} more ${count === 1 ? "threat" : "threats"}`;
}
