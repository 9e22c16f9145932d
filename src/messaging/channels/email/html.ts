import { escapeMarkup } from "../../../platform/lib/safe-text.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats, relationOf, severityLabels } from "../../content/plain-text.ts";

/** Colors with enough contrast on a light and on a dark background, of which a mail program chooses one. */
const colors: Readonly<Record<Notice["tone"], string>> = {
  high: "#d92d20",
  medium: "#c4620a",
  low: "#8a7400",
  good: "#0f8a4d",
  neutral: "#6b7280",
};

/**
 * Renders a message as an HTML document. It loads nothing and has no color of its own except at the edge, so that it is
 * readable in light and dark mail programs.
 * @param imageId content identifier of an attached screenshot; null: none
 */
export function renderHtml(notice: Notice, imageId: string | null): string {
  const { title, summary, facts, items, more, links, tone } = notice;
  const paragraphs = [
    `<h1 style="margin:0 0 12px;font-size:18px;line-height:1.3">${escapeMarkup(title)}</h1>`,
    summary === "" ? "" : `<p style="margin:0 0 12px">${escapeMarkup(summary)}</p>`,
    factTable(facts),
    itemList(items, more),
    links.length === 0 ? "" : `<p style="margin:0 0 12px">${links.map(link).join(" &nbsp; ")}</p>`,
    imageId === null
      ? ""
      : `<img src="cid:${escapeMarkup(imageId)}" alt="Screenshot of the page" width="480" style="max-width:100%;height:auto;border:1px solid #808080">`,
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeMarkup(title)}</title></head>
<body style="margin:0;padding:16px;font-family:-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:15px;line-height:1.5">
<div style="max-width:640px;border-left:4px solid ${colors[tone]};padding-left:16px">
${paragraphs.filter((one) => one !== "").join("\n")}
</div>
</body>
</html>
`;
}

function factTable(facts: Notice["facts"]): string {
  if (facts.length === 0) return "";
  const cell = "padding:2px 12px 2px 0;vertical-align:top;text-align:left";
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" style="${cell};font-weight:600;white-space:nowrap">${escapeMarkup(label)}</th><td style="${cell};overflow-wrap:anywhere">${escapeMarkup(value)}</td></tr>`,
  );
  return `<table style="border-collapse:collapse;margin:0 0 12px;font-size:14px">\n${rows.join("\n")}\n</table>`;
}

function itemList(items: Notice["items"], more: number): string {
  if (items.length === 0 && more === 0) return "";
  const entries = items.map((item) => {
    const { name, severity, reason, url } = item;
    const shown = escapeMarkup(name);
    const threat = url === null ? shown : link({ text: name, url });
    const relation = relationOf(item);
    const about = `<strong>${severityLabels[severity]}</strong>: ${threat}${relation === "" ? "" : `, ${escapeMarkup(relation)}`}`;
    return `<li style="margin:0 0 4px">${reason === "" ? about : `${about}<br>${escapeMarkup(reason)}`}</li>`;
  });
  const rest = more > 0 ? `<p style="margin:0 0 12px">and ${moreThreats(more)}</p>` : "";
  return `<ul style="margin:0 0 12px;padding-left:20px">\n${entries.join("\n")}\n</ul>${rest}`;
}

function link({ text, url }: { text: string; url: string }): string {
  return `<a href="${escapeMarkup(url)}">${escapeMarkup(text)}</a>`;
}
