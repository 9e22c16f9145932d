import type { Notice } from "../../content/notice.ts";

/** Colors of the bar or the title of a message, as 24-bit RGB. */
export const toneColors: Readonly<Record<Notice["tone"], number>> = {
  high: 0xc62828,
  medium: 0xef6c00,
  low: 0xf9a825,
  good: 0x2e7d32,
  neutral: 0x607d8b,
};

/** Top-level domains of names that exist in private networks only. */
const privateNames = /\.(internal|lan|local|localdomain|localhost|test)$/;

/**
 * Returns whether the host of a URL has a public name. Telegram and Discord reject a message that has a button or a title
 * with another address, such as `http://phishwatch:8080/`.
 */
export function hasPublicName(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return /\.[a-z][a-z0-9-]*$/.test(host) && !privateNames.test(host);
}

/**
 * Escapes text for Markdown, so that it is shown as it is: without formatting, links, images, quotes and mentions.
 * A mention is also found in escaped text, so an invisible character follows each `@`.
 */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replace(/[\\`*_~|[\]<>!#]/g, "\\$&")
      // Lists at the beginning of a line.
      .replace(/^(\s*)([+-])/gm, "$1\\$2")
      .replace(/^(\s*\d{1,9})(\.)/gm, "$1\\$2")
      // Clients make a link of an address with a scheme, and of one that begins with www, and an emoji of a code.
      .replace(/:(?=\/|[\w+-]+:)/g, "\\:")
      .replace(/\bwww(?=\.)/gi, `$&${wordJoiner}`)
      .replaceAll("@", `@${wordJoiner}`)
  );
}

const wordJoiner = "\u2060";

/** Returns a Markdown link. The text is already escaped. */
export function markdownLink(escaped: string, url: string): string {
  return `[${escaped}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** Escapes the characters that HTML, and the parts of it that services interpret, cannot contain as text. */
export function escapeEntities(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
