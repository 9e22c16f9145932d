/** Pages for visitors. They say nothing of what they are part of. */

export const notFoundPage = page(
  "404 Not Found",
  "<h1>Not Found</h1>\n<p>The requested URL was not found on this server.</p>",
);

/** A page of somebody's choice; each line a paragraph. */
export function baitPage({ title, text }: { title: string; text: string }): string {
  const paragraphs = text
    .split(/\n+/)
    .filter((line) => line.trim() !== "")
    .map((line) => `<p>${escapeMarkup(line)}</p>`);
  return page(escapeMarkup(title), [`<h1>${escapeMarkup(title)}</h1>`, ...paragraphs].join("\n"));
}

function page(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
}

/** For text and attribute values of HTML and XML; characters that XML 1.0 does not have are left out. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
