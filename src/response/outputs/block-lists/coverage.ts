import { isPopularName } from "../../../engines/detection/data/popular-names.ts";
import { nameBytesMax } from "../../../engines/detection/names/name.ts";
import { splitName } from "../../../engines/detection/names/suffix.ts";

/**
 * Rules about what a list may contain. A resolver that blocks a name usually also blocks everything below it, so a name
 * that is listed wrongly can make services of strangers, or of the list's owner, unreachable.
 */

/** Names that belong to the owner of the list: they and everything below them are never listed. */
export interface OwnNames {
  names: ReadonlySet<string>;
  /** Those that have a parent domain, sorted. */
  deep: readonly string[];
}

/** @param domains all protected domains, also those that are no longer searched for */
export function ownNamesOf(domains: readonly { domain: string; allow: readonly string[] }[]): OwnNames {
  const names = new Set<string>();
  for (const { domain, allow } of domains) {
    names.add(domain);
    names.add(splitName(domain).registrableDomain || domain);
    for (const name of allow) names.add(name);
  }
  return { names, deep: [...names].filter((name) => parentsOf(name).length > 0).sort() };
}

/**
 * Returns whether a name can be listed at all. It is listed exactly as it was recorded: `login.example.pages.dev`
 * lists neither `example.pages.dev` nor the suffix `pages.dev`.
 */
export function isListable(name: string, { names }: OwnNames): boolean {
  if (name.length > nameBytesMax || !hostName.test(name) || names.has(name)) return false;
  for (const parent of parentsOf(name)) if (names.has(parent)) return false;
  // A public suffix is shared by strangers, and so is a name that millions use.
  return splitName(name).registrableLabel !== "" && !isPopularName(name);
}

/**
 * The formats write names as they are, so a name must not contain anything that one of them could misread. Response
 * policy zones have rules of another kind at names such as `24.0.2.0.192.rpz-ip`.
 */
const hostName = /^(?:[a-z0-9_-]{1,63}\.)+(?!(?:\d+|0x[0-9a-f]*|rpz-[a-z-]+)$)[a-z0-9_-]{1,63}$/;

/** Returns the names of the owner that lie below a listed name, sorted: blocking that one must not block them. */
export function allowedBelow({ deep }: OwnNames, isListed: (name: string) => boolean): string[] {
  return deep.filter((name) => parentsOf(name).some(isListed));
}

/** Returns all parent domains of the names. */
export function parentsOfAll(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap(parentsOf));
}

/** Returns the parent domains of a name, without the top-level domain. */
export function parentsOf(name: string): string[] {
  const parents: string[] = [];
  let at = name.indexOf(".") + 1;
  if (at === 0) return parents;
  for (let next = name.indexOf(".", at); next !== -1; next = name.indexOf(".", at)) {
    parents.push(name.slice(at));
    at = next + 1;
  }
  return parents;
}
