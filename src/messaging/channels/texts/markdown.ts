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
