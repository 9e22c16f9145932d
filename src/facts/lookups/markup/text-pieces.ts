import type { Turns } from "../../../platform/network/turns.ts";

/** Length of text that is processed at once. Folding is the slowest: one character can become 18. */
const pieceLength = 4_000;
/** A piece ends after white space, if there is any within this length. */
const wordLengthMax = 500;

/** Length of markup that is parsed at once. */
const markupPieceLength = 8_192;

/** Yields markup in pieces of a length that is parsed without a pause. */
export function* markupPieces(markup: string): Generator<string> {
  for (let from = 0; from < markup.length; from += markupPieceLength)
    yield markup.slice(from, from + markupPieceLength);
}

/** Converts a long text in pieces of whole words, and joins the results with spaces. Other work runs in between. */
export async function mapText(
  text: string,
  convert: (piece: string) => string,
  turns: Turns,
): Promise<string> {
  if (text.length <= pieceLength) return convert(text);
  const results: string[] = [];
  for (let from = 0; from < text.length;) {
    await turns.next();
    const end = endOfPiece(text, from);
    const result = convert(text.slice(from, end));
    if (result !== "") results.push(result);
    from = end;
  }
  return results.join(" ");
}

function endOfPiece(text: string, from: number): number {
  const end = from + pieceLength;
  if (end >= text.length) return text.length;
  const space = /\s/.exec(text.slice(end, end + wordLengthMax));
  return space === null ? end : end + space.index + 1;
}
