/** Returns a Markdown table, aligned as the formatter does. The first row is the heading. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const [heading = [], ...rest] = cells;
  const widths = heading.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  return [line(heading), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("");
}

/** Returns a page with new content between `<!-- NAME -->` and `<!-- end of NAME -->`. */
export function withRegion(page: string, name: string, content: string): string {
  const place = new RegExp(`(?<=<!-- ${name} -->\\n)[^]*?(?=<!-- end of ${name} -->)`);
  if (!place.test(page)) throw new Error(`the page has no markers for "${name}"`);
  return page.replace(place, () => `\n${content}\n`);
}
