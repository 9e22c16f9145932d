/** Splits a name at its public suffix, including the private section of the Public Suffix List. */
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { publicSuffixes } from "../../../platform/lib/host-names.ts";
import { parseSuffixRules, type SuffixRules } from "./suffix-rules.ts";

export interface NameParts {
  /** The suffix below which names are registered, such as `pages.dev` in `login.example.pages.dev`. */
  suffix: string;
  /** The label before the suffix. Empty if the name is itself a suffix. */
  registrableLabel: string;
  /** Registrable label and suffix. Empty if the name is itself a suffix. */
  registrableDomain: string;
  /** Labels before the registrable one, from left to right. */
  subLabels: string[];
  /** Whether the suffix belongs to a hosting service (private section of the list). */
  hosted: boolean;
}

/** Rules of the list that replaces the one in tldts; null without one. */
let replaced: { text: string; rules: SuffixRules } | null = null;

function replacement(): SuffixRules | null {
  const text = listText("public_suffixes", "");
  if (text === "") return null;
  if (replaced?.text !== text) replaced = { text, rules: parseSuffixRules(text) };
  return replaced.rules;
}

const parseOptions = { allowPrivateDomains: true, validateHostname: false, extractHostname: false };

export function splitName(name: string): NameParts {
  const rules = replacement();
  if (rules !== null) return splitBy(rules, name);
  const parsed = publicSuffixes().parse(name, parseOptions);
  return {
    suffix: parsed.publicSuffix ?? "",
    registrableLabel: parsed.domainWithoutSuffix ?? "",
    registrableDomain: parsed.domain ?? "",
    subLabels: parsed.subdomain ? parsed.subdomain.split(".") : [],
    hosted: parsed.isPrivate === true,
  };
}

/**
 * Splits a protected domain. One that is itself a public suffix of several labels, such as `gov.uk`, is read as its first
 * label before the others.
 */
export function splitProtected(domain: string): NameParts {
  const parts = splitName(domain);
  const dot = domain.indexOf(".");
  if (parts.registrableLabel !== "" || dot === -1) return parts;
  const [registrableLabel, suffix] = [domain.slice(0, dot), domain.slice(dot + 1)];
  return { ...parts, suffix, registrableLabel, registrableDomain: domain };
}

/** Returns whether the owner of a protected domain owns all names below it. Everybody gets names below `github.io`. */
export function ownsNamesBelow(domain: string): boolean {
  const { hosted, registrableLabel } = splitName(domain);
  return registrableLabel !== "" || !hosted;
}

/**
 * Returns the domain that was registered at a registry to get the name: the private section of the list does not count.
 * Null for a name that is itself a suffix.
 */
export function registeredDomain(name: string): string | null {
  const rules = replacement();
  if (rules === null) return publicSuffixes().getDomain(name, { allowPrivateDomains: false });
  return domainBelow(rules.match(name, true).suffix, name);
}

function splitBy(rules: SuffixRules, name: string): NameParts {
  const { suffix, hosted } = rules.match(name);
  const registrableDomain = domainBelow(suffix, name) ?? "";
  const registrableLabel = registrableDomain.slice(
    0,
    Math.max(0, registrableDomain.length - suffix.length - 1),
  );
  const before = name.slice(0, Math.max(0, name.length - registrableDomain.length - 1));
  const subLabels = registrableDomain === "" || before === "" ? [] : before.split(".");
  return { suffix, registrableLabel, registrableDomain, subLabels, hosted };
}

function domainBelow(suffix: string, name: string): string | null {
  if (suffix === name) return null;
  const end = name.length - suffix.length - 1;
  return name.slice(name.lastIndexOf(".", end - 1) + 1);
}
