/** Splits a name at its public suffix, including the private section of the Public Suffix List. */
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { publicSuffixes } from "../../../platform/lib/host-names.ts";
import { domainToASCII } from "node:url";
import { decodeLabel, normalizeName } from "./name.ts";

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

/** Rules for labels that all registries share. */

const letterDigitHyphen = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** IDNA2008 (RFC 5892) allows letters, marks and digits that are stable under case folding and NFKC. */
const unicodeLetters = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]+$/u;

/**
 * Returns whether a label follows the LDH rule, or is valid under IDNA2008 and unchanged by
 * UTS #46, and has no hyphens in the third and fourth place.
 */
export function isRegistrableLabel(label: string): boolean {
  const ascii = label.includes(".") ? label.slice(label.lastIndexOf(".") + 1) : label;
  if (ascii.slice(2, 4) === "--" || ascii.startsWith("-") || ascii.endsWith("-")) return false;
  if (/^[\0-\x7f]*$/.test(ascii)) return letterDigitHyphen.test(ascii);
  if (!unicodeLetters.test(ascii) || /^\p{M}/u.test(ascii) || ascii !== ascii.normalize("NFKC")) return false;
  return decodeLabel(domainToASCII(ascii)) === ascii;
}

/** Returns the name in A-label form, or undefined if it exceeds a limit. */
export function domainFromLabels(text: string): string | undefined {
  const normalized = normalizeName(text);
  return "error" in normalized ? undefined : normalized.name;
}

/** The public suffix list in its published form, for a list that replaces the one in tldts. */

/** Suffix of a name. `hosted`: from the private section of the list. */
interface SuffixMatch {
  suffix: string;
  hosted: boolean;
}

/** Rules of a list. */
interface SuffixRules {
  /** Number of rules. */
  count: number;
  /** @param icannOnly ignores the private section */
  match(name: string, icannOnly?: boolean): SuffixMatch;
}

interface Section {
  exact: Set<string>;
  /** Names below which every label is a suffix: `ck` for the rule `*.ck`. */
  wildcard: Set<string>;
  /** Names that are not suffixes in spite of a wildcard. */
  except: Set<string>;
}

const beginPrivate = "===BEGIN PRIVATE DOMAINS===";

/** Parses a list (https://github.com/publicsuffix/list/wiki/Format). Lines that are no rule are skipped. */
export function parseSuffixRules(text: string): SuffixRules {
  const section = (): Section => ({ exact: new Set(), wildcard: new Set(), except: new Set() });
  const [icann, hosted] = [section(), section()];
  let current = icann;
  let count = 0;
  for (const line of text.split("\n")) {
    if (line.includes(beginPrivate)) current = hosted;
    const rule = line.trimEnd();
    if (rule === "" || rule.startsWith("//") || /\s/.test(rule)) continue;
    if (rule.startsWith("!")) current.except.add(inAscii(rule.slice(1)));
    else if (rule.startsWith("*.")) current.wildcard.add(inAscii(rule.slice(2)));
    else current.exact.add(inAscii(rule));
    count++;
  }
  return {
    count,
    match(name, icannOnly = false) {
      for (let at = 0; ;) {
        const candidate = name.slice(at);
        const dot = candidate.indexOf(".");
        const parent = dot === -1 ? "" : candidate.slice(dot + 1);
        for (const rules of icannOnly ? [icann] : [hosted, icann]) {
          const found = rules === hosted;
          if (rules.except.has(candidate)) return { suffix: parent, hosted: found };
          if (rules.exact.has(candidate) || (dot > 0 && rules.wildcard.has(parent)))
            return { suffix: candidate, hosted: found };
        }
        // Without a rule, the last label is the suffix.
        if (dot === -1) return { suffix: candidate, hosted: false };
        at += dot + 1;
      }
    },
  };
}

function inAscii(rule: string): string {
  return /^[\x21-\x7e]*$/.test(rule) ? rule.toLowerCase() : domainToASCII(rule);
}
