import { cut } from "../../content/cut.ts";
import type { Notice } from "../../content/notice.ts";
import { moreThreats } from "../../content/plain-text.ts";
import { escapeEntities } from "../texts/markup.ts";
import { aroundName } from "../texts/notice-text.ts";

/** A line of the message, with and without markup. Telegram limits the length without markup. */
interface Line {
  text: string;
  html: string;
}

const lineCharactersMax = 1_000;
const icons = { high: "🔴", medium: "🟠", low: "🟡", good: "🟢", neutral: "🔵" } as const;

/**
 * Renders a message in Telegram's HTML (core.telegram.org/bots/api, "HTML style"). Lines at the end that do not fit
 * are left out.
 * @param lengthMax maximum length without markup, in UTF-16 code units
 * @param inButtons links that are not repeated in the text
 */
export function telegramHtml(
  notice: Notice,
  { lengthMax, inButtons }: { lengthMax: number; inButtons: Notice["links"] },
): string {
  const { tone, title, summary, facts, items, more, links } = notice;
  const inText = links.filter((link) => !inButtons.includes(link));
  const blocks: Line[][] = [
    [bold(`${icons[tone]} ${title}`)],
    summary === "" ? [] : [plain(summary)],
    facts.map(({ label, value }) => joined(bold(`${label}:`), plain(` ${value}`))),
    [
      ...items.map((item) => {
        const [before, after] = aroundName(item);
        return joined(plain(before), linked(item.name, item.url), plain(after));
      }),
      ...(more > 0 ? [plain(`and ${moreThreats(more)}`)] : []),
    ],
    inText.map(({ text, url }) => plain(`${text}: ${url}`)),
  ];
  const lines = blocks.flatMap((block) => (block.length === 0 ? [] : [plain(""), ...block]));
  return fitting(lines.slice(1), lengthMax).join("\n");
}

/** Returns the first lines that together are at most `lengthMax` long. Says so if some are left out. */
function fitting(lines: readonly Line[], lengthMax: number): string[] {
  const lengths = lines.map(({ text }) => text.length + 1);
  if (sum(lengths) - 1 <= lengthMax) return lines.map(({ html }) => html);
  let left = lengthMax - "…".length;
  const kept = lines.slice(
    0,
    lengths.findIndex((length) => (left -= length) < 0),
  );
  return [...kept.map(({ html }) => html), "…"];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function plain(text: string): Line {
  // A word joiner after an @ prevents mentions.
  const shown = cut(text, lineCharactersMax).replace(/@(?=\w)/g, "@\u2060");
  return { text: shown, html: escapeEntities(shown) };
}

function bold(text: string): Line {
  const { text: shown, html } = plain(text);
  return { text: shown, html: `<b>${html}</b>` };
}

function linked(text: string, url: string | null): Line {
  const { text: shown, html } = plain(text);
  return { text: shown, html: url === null ? html : `<a href="${escapeEntities(url)}">${html}</a>` };
}

function joined(...parts: Line[]): Line {
  return { text: parts.map(({ text }) => text).join(""), html: parts.map(({ html }) => html).join("") };
}
