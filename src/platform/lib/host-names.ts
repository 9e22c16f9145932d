import { domainToASCII } from "node:url";
import labels from "./lists/generic-labels.json" with { type: "json" };
import { visible } from "./safe-text.ts";
import { lazy } from "./startup.ts";

/** The library that splits names at their public suffix. Its list is unpacked with the first name. */
export const publicSuffixes = lazy(
  () => require("./lists/suffix-library.ts") as typeof import("./lists/suffix-library.ts"),
);

/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters in text. */
const hostNameLengthMax = 253;
const labelForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns a host name in its canonical form: A-labels (UTS #46, non-transitional), lowercase, no trailing dot.
 * Returns null for anything but a host name of letters, digits and hyphens: addresses, URLs, wildcards,
 * underscores, labels over 63 characters, invalid Punycode, invisible characters.
 */
export function parseHostName(text: string): string | null {
  if (text.length > 1000 || /[\s/:@%?#\\[\]*]/.test(text) || visible(text, 2000) !== text) return null;
  const name = domainToASCII(text.endsWith(".") ? text.slice(0, -1) : text).toLowerCase();
  if (name.length === 0 || name.length > hostNameLengthMax) return null;
  const parts = name.split(".");
  // A last label that is a number makes the whole an IPv4 address for every URL parser (WHATWG URL §3.5).
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(parts.at(-1)!)) return null;
  return parts.every((part) => labelForm.test(part)) ? name : null;
}

/**
 * Returns whether registries sell the names below this name (`com`, `co.uk`), so that the name itself cannot be
 * registered. Only the list's ICANN section counts: `github.io` belongs to a company that may want to protect it.
 */
export function isPublicSuffix(hostName: string): boolean {
  return publicSuffixes().getPublicSuffix(hostName, { allowPrivateDomains: false }) === hostName;
}

/** By byte: the lowercase form of a character of host names, of an underscore or a dot; 0 for all others. */
export const hostCharacters = new Uint8Array(256);
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789-_.")
  for (const form of [character, character.toUpperCase()])
    hostCharacters[form.charCodeAt(0)] = character.charCodeAt(0);

/** Returns whether `host` is `domain` or below it. Both must be in canonical form. */
export function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/**
 * Labels that host names and names of every trade contain. As the label of a protected domain, such a word counts only
 * as the whole registered label. Words that are also well-known brands, such as `post`, are not among them.
 */
const genericLabels: ReadonlySet<string> = new Set(labels);

export function isGenericLabel(label: string): boolean {
  return genericLabels.has(label);
}

/**
 * Returns why the label of a protected domain does not identify a brand, as a phrase that follows the domain;
 * undefined if it is usable. Names that imitate such a domain are found by its brand keywords.
 */
export function labelProblem(domain: string): string | undefined {
  const label =
    publicSuffixes().getDomainWithoutSuffix(domain, { allowPrivateDomains: true }) ??
    publicSuffixes().getDomainWithoutSuffix(domain, { allowPrivateDomains: false });
  if (label === null) return "is a public suffix";
  if (label.length === 1) return "has a label of one character";
  return isGenericLabel(label) ? `has the label "${label}", which names of every trade contain` : undefined;
}
