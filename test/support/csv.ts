/** Parses CSV by RFC 4180, with CRLF after each record; throws for anything else. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        for (at += 1; ; at += 1) {
          if (at >= text.length) throw new Error("a quote is not closed");
          if (text[at] !== '"') cell += text[at];
          else if (text[at + 1] === '"') cell += text[at++];
          else break;
        }
        at += 1;
      } else {
        const found = /[^",\r\n]*/y;
        found.lastIndex = at;
        cell = found.exec(text)![0];
        at += cell.length;
      }
      row.push(cell);
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text.slice(at, at + 2) !== "\r\n")
      throw new Error(`no line ending at ${at}: ${text.slice(at - 40, at + 40)}`);
    at += 2;
    rows.push(row);
  }
  return rows;
}
