import {
  createNameComparison,
  type NameComparison,
  type NamePart,
} from "../../detection/match/compare-names.ts";
import { unicodeName } from "../../detection/names/name.ts";
import { WrittenBeside } from "./name.tsx";

/** Longer additions are shortened in the middle: they are made to push the brand out of sight. */
const addedMax = 48;
const addedEnds = 16;

export const compareNames = createNameComparison();

/**
 * A suspicious name with what is different in it made visible against the name that it imitates, and in
 * A-label form beside it where that is another.
 */
export function ComparedName({ name, comparison }: { name: string; comparison: NameComparison }) {
  const isWritten = unicodeName(name) === name;
  return (
    <span class="name">
      <bdi class="looks" dir="ltr">
        {comparison.parts.map((part) => (
          <Part part={part} />
        ))}
      </bdi>
      {isWritten ? null : <WrittenBeside name={name} />}
    </span>
  );
}

function Part({ part }: { part: NamePart }) {
  const { kind, found, expected } = part;
  if (kind === "same") return <>{found}</>;
  if (kind === "missing") return <span class="missing" title={`"${expected}" is left out`}></span>;
  if (kind === "added") {
    const isShort = found.length <= addedMax;
    return (
      <span class="added" title={isShort ? undefined : found}>
        {isShort ? found : `${found.slice(0, addedEnds)}…${found.slice(-addedEnds)}`}
      </span>
    );
  }
  return (
    <span class="differs" title={tell(part)}>
      {found}
    </span>
  );
}

function tell({ found, expected, characters }: NamePart): string {
  const foreign = characters.some(({ shown }) => shown > "\x7f");
  const what = (foreign ? characters : [])
    .map(({ codePoint, description }) => `${codePoint}, ${description}`)
    .join("; ");
  return `"${found}"${what === "" ? "" : ` (${what})`} in place of "${expected}"`;
}
