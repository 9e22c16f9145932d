import type { DocumentText } from "../../presentation.ts";

/**
 * Returns a PDF (ISO 32000-1) of one page. It is written by hand because it only needs a page of text, an action, and
 * a link. On opening, it asks the viewer to open the URL. Acrobat asks the reader first; most others (browsers, macOS
 * Preview, Evince) do nothing. A click anywhere on the page opens it in all of them.
 */
export function pdfDocument(url: string, { title, text }: DocumentText): Uint8Array<ArrayBuffer> {
  const action = `<< /Type /Action /S /URI /URI ${literal(`${url}/view`)} >>`;
  const content = pageContent(title, text);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R >>`,
    `<< /Type /Pages /Kids [3 0 R] /Count 1 >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 5 0 R /Resources << /Font << /F1 4 0 R /F2 8 0 R >> >> /Annots [7 0 R] >>`,
    font("Helvetica"),
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    action,
    `<< /Type /Annot /Subtype /Link /Rect [0 0 ${width} ${height}] /Border [0 0 0] /A 6 0 R >>`,
    font("Helvetica-Bold"),
    `<< /Title ${literal(latin(title))} >>`,
  ];
  let file = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const startXref = file.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 9 0 R >>\nstartxref\n${startXref}\n%%EOF\n`;
  // Every character is one byte, so the offsets above are offsets in the file.
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}

/** A4, in points. */
const [width, height] = [595, 842];
const margin = 72;
const lineHeight = 15;
/** Helvetica at 11 points is 5.5 points wide on average; a line of capitals extends into the margin. */
const columns = 80;
const linesMax = 44;

const font = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;

function pageContent(title: string, text: string): string {
  const lines = text
    .split("\n")
    .flatMap((line) => wrap(latin(line)))
    .slice(0, linesMax);
  const shown = lines.map((line) => `${literal(line)} Tj T*`);
  const heading = `BT /F2 16 Tf ${margin} ${height - margin} Td ${literal(latin(title).slice(0, 60))} Tj ET`;
  const body = `BT /F1 11 Tf ${lineHeight} TL ${margin} ${height - margin - 2 * lineHeight} Td ${shown.join(" ")} ET`;
  return `${heading}\n${body}`;
}

function wrap(line: string): string[] {
  const rows = [""];
  for (const word of line.split(" ")) {
    const row = rows.at(-1)!;
    if (row !== "" && row.length + word.length >= columns) rows.push(word);
    else rows[rows.length - 1] = row === "" ? word : `${row} ${word}`;
  }
  return rows.map((row) => row.slice(0, columns + 10));
}

/** Keeps the characters that WinAnsiEncoding and Latin-1 encode alike; others become a question mark. */
function latin(text: string): string {
  return text.normalize("NFC").replaceAll(/[^\u0020-\u007e\u00a1-\u00ff]/gu, "?");
}

function literal(text: string): string {
  return `(${text.replaceAll(/[\\()]/g, "\\$&")})`;
}
