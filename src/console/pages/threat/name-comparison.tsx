import type { NameComparison, NamePart } from "../../../detection/match/compare-names.ts";
import type { EditKind } from "../../../detection/types.ts";

/** Two names aligned character by character, with each difference described. */
export function NamesSideBySide({ comparison }: { comparison: NameComparison }) {
  const { parts, word, isKeyword } = comparison;
  const differences = parts.filter(({ kind }) => kind !== "same");
  return (
    <>
      <div class="compared" aria-hidden="true">
        {parts.flatMap(cellsOf).map(({ kind, found, expected }) => (
          <span class={`pair ${kind}`}>
            <bdi dir="ltr">{found === "" ? "–".repeat(characters(expected).length) : found}</bdi>
            <bdi dir="ltr">{expected === "" ? "\u00a0" : expected}</bdi>
          </span>
        ))}
      </div>
      <p class="hint">
        Top: the suspicious name. Bottom: {isKeyword ? "the keyword " : ""}
        <bdi>{word}</bdi>.
      </p>
      {differences.length === 0 ? (
        <p>The names look the same.</p>
      ) : (
        <ul>
          {differences.map((part) => (
            <li>
              <Difference part={part} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Characters per cell: long names wrap between cells, and a monospaced font keeps the rows aligned. */
const cellCharacters = 8;

function chunks(text: string): string[] {
  const all = characters(text);
  return Array.from({ length: Math.ceil(all.length / cellCharacters) }, (_, index) =>
    all.slice(index * cellCharacters, (index + 1) * cellCharacters).join(""),
  );
}

function cellsOf(part: NamePart): Pick<NamePart, "kind" | "found" | "expected">[] {
  const { kind, found, expected } = part;
  if (kind === "same") return chunks(found).map((one) => ({ kind, found: one, expected: one }));
  if (kind === "added") return chunks(found).map((one) => ({ kind, found: one, expected: "" }));
  if (kind === "missing") return chunks(expected).map((one) => ({ kind, found: "", expected: one }));
  const [ours, theirs] = [characters(found), characters(expected)];
  if (ours.length !== theirs.length) return [{ kind, found, expected }];
  return ours.map((one, index) => ({ kind, found: one, expected: theirs[index]! }));
}

/** Splits a text into characters; an escaped invisible character counts as one. */
function characters(text: string): string[] {
  return text.match(/\\u\{[0-9a-f]+\}|./gu) ?? [];
}

const editNotes: Partial<Record<EditKind, string>> = {
  transposition: ", swapped",
  keyboard_neighbor: ", its neighbor on the keyboard",
  vowel_swap: ", another vowel",
  bit_flip: ", one bit away",
  repetition: " repeated",
  plural: " as a plural",
};

function Difference({ part }: { part: NamePart }) {
  const { kind, found, expected, edit, characters: described } = part;
  const how = (edit === undefined ? undefined : editNotes[edit]) ?? "";
  const which = described
    .filter(({ shown }) => !/^[a-z]$/.test(shown))
    .map(({ codePoint, description }) => `${codePoint}, ${description}`)
    .join("; ");
  const other = (
    <>
      <Quoted text={found} />
      {which === "" ? "" : ` (${which})`}
    </>
  );
  switch (kind) {
    case "confusable":
      return (
        <>
          {other} looks like <Quoted text={expected} />
        </>
      );
    case "added":
      return (
        <>
          {other} is added{how}
        </>
      );
    case "missing":
      return (
        <>
          <Quoted text={expected} /> is omitted
        </>
      );
    default:
      return (
        <>
          {other} instead of <Quoted text={expected} />
          {how}
        </>
      );
  }
}

function Quoted({ text }: { text: string }) {
  return (
    <code>
      <bdi dir="ltr">{text}</bdi>
    </code>
  );
}
