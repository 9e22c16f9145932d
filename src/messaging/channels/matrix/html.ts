import { escapeMarkup } from "../../../platform/lib/safe-text.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { itemMarkup } from "../texts/notice-text.ts";

/** Renders a message in the part of HTML that Matrix permits (spec.matrix.org, "m.room.message msgtypes"). */
export function matrixHtml({ title, summary, facts, items, more, links }: Notice): string {
  const blocks = [
    `<p><strong>${escapeMarkup(title)}</strong></p>`,
    summary === "" ? "" : `<p>${escapeMarkup(summary)}</p>`,
    list(facts.map(({ label, value }) => `<strong>${escapeMarkup(label)}:</strong> ${escapeMarkup(value)}`)),
    list([
      ...items.map((item) => itemMarkup(item, { escape: escapeMarkup, link })),
      ...(more > 0 ? [`and ${moreThreats(more)}`] : []),
    ]),
    links.length === 0
      ? ""
      : `<p>${links.map(({ text, url }) => link(escapeMarkup(text), url)).join("<br>")}</p>`,
  ];
  return blocks.join("");
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`;
}

function link(escaped: string, url: string): string {
  return `<a href="${escapeMarkup(url)}">${escaped}</a>`;
}
