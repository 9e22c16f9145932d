/** Finds the links, addresses and names in a line that contains more than one of them, or other text. */
import { refang } from "../../../engines/detection/names/pasted-name.ts";

export interface LinePart {
  text: string;
  /** Whether it is meant as an indicator, also beside other words: a link, an email address, a defanged name. */
  isCertain: boolean;
}

/** A longer line is not split. */
const lineCharactersMax = 1 << 14;
const partsMax = 200;

/** Private-use characters that stand for a defanged dot and at sign until the line is split. */
const [dot, at] = ["\ue000", "\ue001"];
const marks = /[\ue000\ue001]/gu;

/** An address within the query of another one is a part of it. */
const linkStart = /(?<![\w=/?&%:])(?:h[tx*]{2}ps?|f[tx*]p):[/\\]{1,2}/giu;
/** A link ends at white space, quotes, angle brackets and bars. Longer links are rejected. */
const linkBody = /[^\s<>"'`“”«»|]{1,5000}/uy;
/** A link ends in Markdown, and where the next one begins. */
const nextLink = /\]\(|[,;](?=(?:h[tx*]{2}ps?|f[tx*]p):[/\\])/iu;
const separators = /[\s,;|<>"'`“”«»()[\]{}]+/u;
const closingMarks = ".,:;!?…";

/** Returns the parts of a line that may be names, in their order. */
export function splitLine(line: string): LinePart[] {
  if (line.length > lineCharactersMax) return [{ text: line, isCertain: false }];
  const text = refang(line, { dot, at });
  const parts: LinePart[] = [];
  let from = 0;
  for (const { index } of text.matchAll(linkStart)) {
    if (index < from) continue;
    if (parts.length >= partsMax) break;
    addWords(parts, text.slice(from, index));
    linkBody.lastIndex = index;
    const [body] = linkBody.exec(text)!;
    const link = body.slice(0, nextLink.exec(body)?.index);
    from = index + link.length;
    parts.push({ text: written(link), isCertain: true });
  }
  addWords(parts, text.slice(from));
  return parts.slice(0, partsMax);
}

function addWords(parts: LinePart[], text: string): void {
  for (const word of text.split(separators, partsMax)) {
    const isCertain = isEmailAddress(word) || /[\ue000\ue001]|^www\../iu.test(word);
    if (word !== "") parts.push({ text: written(word), isCertain });
  }
}

function isEmailAddress(word: string): boolean {
  const sign = word.lastIndexOf("@");
  return sign > 0 && word.indexOf(".", sign + 2) >= 0;
}

/** Returns the part with its defanged characters, and without punctuation that ends a sentence. */
function written(part: string): string {
  let end = part.length;
  while (end > 1 && closingMarks.includes(part[end - 1]!)) end--;
  return part.slice(0, end).replace(marks, (mark) => (mark === dot ? "." : "@"));
}
