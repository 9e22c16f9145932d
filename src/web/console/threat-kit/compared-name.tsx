import {
  createNameComparison,
  type CompareNames,
  type NameComparison,
  type NamePart,
} from "../../../engines/detection/match/compare-names.ts";
import { unicodeName } from "../../../engines/detection/names/name.ts";
import type { ProtectedDomain } from "../../../threats/domains/domains.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { ALabelBeside, Name } from "../kit/inline.tsx";

/** Longer additions are truncated in the middle: attackers use them to push the brand out of sight. */
const addedMax = 48;
const addedEnds = 16;

/** The same names are on page after page: the list, its panel, the next list. */
const comparisonsKeptMax = 4_000;

export const compareNames = createRememberedComparison();

/** Returns a comparison that remembers its latest results, each of which takes 0.2 ms. */
function createRememberedComparison(): CompareNames {
  const compare = createNameComparison();
  const kept = new BoundedMap<string, NameComparison>(comparisonsKeptMax);
  return (suspicious, protectedName, keywords = []) => {
    const key = [suspicious, protectedName, ...keywords].join("\n");
    return kept.getOrCreate(key, () => compare(suspicious, protectedName, keywords));
  };
}

/** Returns whether the names have nothing in common to mark differences in. Copied pages may have such names. */
export function isUnrelated({ parts }: NameComparison): boolean {
  return parts.length === 1 && parts[0]!.kind === "changed";
}

/** Returns the brand keywords of a protected domain. */
export type KeywordsOf = (protectedDomain: string) => readonly string[];

export function keywordsReader(domains: readonly Pick<ProtectedDomain, "domain" | "keywords">[]): KeywordsOf {
  const keywords = new Map(domains.map((domain) => [domain.domain, domain.keywords]));
  return (domain) => keywords.get(domain) ?? [];
}

/**
 * A suspicious name with its differences from the protected domain highlighted, and its A-label form if that differs.
 */
export function ComparedName(props: {
  domain: string;
  protectedDomain: string;
  /** Brand keywords of the protected domain. */
  keywords?: readonly string[] | undefined;
}) {
  const { domain: name, protectedDomain, keywords } = props;
  const comparison = compareNames(name, protectedDomain, keywords);
  if (isUnrelated(comparison)) return <Name name={name} />;
  const parts = comparison.parts.map((part) => <Part part={part} />);
  if (unicodeName(name) === name)
    return (
      <bdi class="name" dir="ltr">
        {parts}
      </bdi>
    );
  return (
    <span class="name">
      <bdi dir="ltr">{parts}</bdi>
      <ALabelBeside name={name} />
    </span>
  );
}

function Part({ part }: { part: NamePart }) {
  const { kind, found, expected } = part;
  if (kind === "same") return <>{found}</>;
  if (kind === "missing") return <mark class="gone" title={`"${expected}" is omitted`}></mark>;
  if (kind === "added") {
    const isShort = found.length <= addedMax;
    return (
      <mark class="plus" title={isShort ? undefined : found}>
        {isShort ? found : `${found.slice(0, addedEnds)}…${found.slice(-addedEnds)}`}
      </mark>
    );
  }
  return (
    <mark class="swap" title={describePart(part)}>
      {found}
    </mark>
  );
}

function describePart({ found, expected, characters }: NamePart): string {
  const foreign = characters.some(({ shown }) => shown > "\x7f");
  const what = (foreign ? characters : [])
    .map(({ codePoint, description }) => `${codePoint}, ${description}`)
    .join("; ");
  return `“${found}”${what === "" ? "" : ` (${what})`} instead of “${expected}”`;
}
