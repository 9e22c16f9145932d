/** Text as content or as a quoted attribute of HTML, XML and SVG. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.5rem}`;

/** A page of a few plain sentences, without script. `body` is markup. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title><style>${style}</style></head>
<body><h1>${escapeMarkup(title)}</h1>${body}</body>
</html>
`;
}

/** Allows exactly what a plain page holds: its one style sheet, named by its hash. */
export function plainPagePolicy(): string {
  const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
