import type { NameComparison, NamePart } from "../../../../engines/detection/match/compare-names.ts";
import type { EditKind } from "../../../../engines/detection/types.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { describeSimilarityReason } from "../../../../threats/threats/severity/similarity-reasons.ts";
import { isAboutPage } from "../../inspection-kit/threat-imitation.tsx";
import { Card } from "../../kit/components.tsx";
import { List } from "../../kit/table.tsx";
import { Name, Text } from "../../kit/inline.tsx";
import { isUnrelated } from "../../threat-kit/compared-name.tsx";

/** How the name of a threat resembles the protected one, and why the threat was recorded. */
export function NameCard({ threat, comparison }: { threat: Threat; comparison: NameComparison }) {
  return (
    <Card title="Name comparison" aside={<span class="faint">{similarityText(threat)}</span>}>
      <ComparedNames threat={threat} comparison={comparison} />
      {isUnrelated(comparison) ? null : <NameDifferences comparison={comparison} />}
      <SimilarityReasons threat={threat} />
    </Card>
  );
}

/** Two names one above the other, or a sentence if they have nothing in common. */
export function ComparedNames({ threat, comparison }: { threat: Threat; comparison: NameComparison }) {
  if (!isUnrelated(comparison)) return <VersusTable comparison={comparison} />;
  return (
    <p class="s quiet">
      The name does not resemble <Name name={threat.protectedDomain} />.
      {threat.type === "cloned_site" ? " The threat is the page at it." : ""}
    </p>
  );
}

/** A value below 1 is not rounded up to it. For a copied page, it says nothing about the name. */
function similarityText({ similarity, type }: Threat): string {
  if (type === "cloned_site") return "not a look-alike by its name";
  if (similarity === 0) return "does not resemble the protected domain";
  return `${(similarity < 1 ? Math.min(similarity, 0.99) : similarity).toFixed(2)} similarity`;
}

/** Why the detection takes the name for a look-alike, or what a beacon reported. */
function SimilarityReasons({ threat }: { threat: Threat }) {
  const reasons = threat.reasons.filter((reason) => !isAboutPage(reason));
  if (reasons.length === 0) return null;
  return (
    <>
      <h3 class="after">Why it matches</h3>
      <List
        class="s quiet"
        items={reasons.map((reason) => (
          <Text text={sentence(describeSimilarityReason(reason))} />
        ))}
      />
    </>
  );
}

/** Two names one above the other, aligned character by character. */
function VersusTable({ comparison: { isKeyword, parts } }: { comparison: NameComparison }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Name comparison">
      <table class="versus">
        <caption class="vh">The names compared, part by part</caption>
        {linesOf(parts.flatMap(cellsOf)).map((cells) => (
          <tbody>
            <tr>
              <th scope="row">Look-alike</th>
              {cells.map(({ kind, found }) => (
                <Cell text={found} marked={kind !== "same"} />
              ))}
            </tr>
            <tr>
              <th scope="row">{isKeyword ? "Keyword" : "Original"}</th>
              {cells.map(({ kind, expected }) => (
                <Cell text={expected} marked={kind !== "same" && expected !== ""} />
              ))}
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  );
}

function Cell({ text, marked }: { text: string; marked: boolean }) {
  return <td class={marked ? "x" : undefined}>{text === "" ? "\u00a0" : <Isolated text={text} />}</td>;
}

/** Each difference of two names as a sentence. */
function NameDifferences({ comparison: { parts } }: { comparison: NameComparison }) {
  const differences = parts.filter(({ kind }) => kind !== "same");
  if (differences.length === 0) return <p class="s quiet">The names look the same.</p>;
  return (
    <List
      class="s quiet"
      items={differences.map((part) => (
        <Difference part={part} />
      ))}
    />
  );
}

const printable = /^[!-~]+$/;

/** Right-to-left letters must not reorder the cells around them. Names have mostly other ones. */
function Isolated({ text }: { text: string }) {
  return printable.test(text) ? <>{text}</> : <bdi dir="ltr">{text}</bdi>;
}

type ComparedCell = Pick<NamePart, "kind" | "found" | "expected">;

/** Splits a part so that each character is below its counterpart, if both names have as many. */
function cellsOf(part: NamePart): ComparedCell[] {
  const { kind, found, expected } = part;
  if (kind === "same") return characters(found).map((one) => ({ kind, found: one, expected: one }));
  if (kind === "added") return characters(found).map((one) => ({ kind, found: one, expected: "" }));
  if (kind === "missing") return characters(expected).map((one) => ({ kind, found: "", expected: one }));
  const [ours, theirs] = [characters(found), characters(expected)];
  if (ours.length !== theirs.length) return [{ kind, found, expected }];
  return ours.map((one, index) => ({ kind, found: one, expected: theirs[index]! }));
}

/** Number of characters from which a name continues on the next line. As many fit into the panel. */
const lineCharactersMax = 36;

/** Distributes cells over lines. */
function linesOf(cells: readonly ComparedCell[]): ComparedCell[][] {
  const lines: ComparedCell[][] = [[]];
  let left = lineCharactersMax;
  for (const cell of cells) {
    const length = Math.max(characters(cell.found).length, characters(cell.expected).length);
    if (length > left) {
      lines.push([]);
      left = lineCharactersMax;
    }
    lines.at(-1)!.push(cell);
    left -= length;
  }
  return lines;
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
  const original = <Quoted text={expected} />;
  if (kind === "missing") return <>{original} is omitted</>;
  if (kind === "added") return [other, ` is added${how}`];
  return kind === "confusable" ? [other, " looks like ", original] : [other, " instead of ", original, how];
}

function Quoted({ text }: { text: string }) {
  return (
    <code>
      <bdi dir="ltr">{text}</bdi>
    </code>
  );
}
