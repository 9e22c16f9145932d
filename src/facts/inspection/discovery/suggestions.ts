import { wordsFoundAnywhere } from "../../../engines/detection/brand/word-warnings.ts";
import { splitIntoKeywords } from "../../../engines/detection/data/lexicon.ts";
import { decodeLabel, normalizeName } from "../../../engines/detection/names/name.ts";
import { splitName } from "../../../engines/detection/names/suffix.ts";
import { isPublicSuffix } from "../../../platform/lib/host-names.ts";
import { foldText } from "../../lookups/page/fold-text.ts";
import { isOwnHost } from "./own-names.ts";
import { titleSeparator } from "./stated-names.ts";
import type { OriginalRole, PageNames, SuggestionKind } from "../model/original.ts";

/** Places in which a suggested value was found. */
export type SuggestionSource = "site_name" | "manifest" | "title" | "certificate" | "redirect" | "link";

/** A brand keyword, an allowed name or a page to add, derived from the original pages. */
export interface Suggestion {
  kind: SuggestionKind;
  /** Keyword, name or URL. Untrusted. */
  value: string;
  /** Where it was found first. */
  source: SuggestionSource;
  /** Original page on which it was found. */
  address: string;
  /** Only for a page. */
  role?: OriginalRole;
}

/** The present version of an original page, as far as suggestions need it. */
export interface NamedPage {
  address: string;
  title: string;
  names: PageNames;
  /** Host that the address leads to now, which is not an allowed name. */
  leadsTo?: string;
}

interface Declared {
  domain: string;
  keywords: readonly string[];
  allow: readonly string[];
}

const keywordLengthMin = 4;
const keywordLengthMax = 40;
const suggestedMax: Record<SuggestionKind, number> = { keyword: 6, allow: 8, page: 4 };
const certificateNamesMax = 30;

/**
 * Suggests what the declaration of a protected domain lacks.
 * @param dismissed those not to suggest, as `kind value`
 */
export function suggestFrom(
  pages: readonly NamedPage[],
  declared: Declared,
  dismissed: ReadonlySet<string>,
): Suggestion[] {
  const all = pages.flatMap((page) =>
    [
      ...keywordsOf(page, declared),
      ...allowedOf(page, declared),
      ...page.names.elsewhere.map(
        ({ url, role }) => ({ kind: "page", value: url, source: "link", role }) as const,
      ),
    ].map((suggestion) => ({ ...suggestion, address: page.address })),
  );
  const seen = new Set<string>();
  const counts: Record<SuggestionKind, number> = { keyword: 0, allow: 0, page: 0 };
  return all.filter(({ kind, value }) => {
    const key = `${kind} ${value}`;
    if (dismissed.has(key) || seen.has(key) || counts[kind] >= suggestedMax[kind]) return false;
    seen.add(key);
    counts[kind] += 1;
    return true;
  });
}

type Found = Omit<Suggestion, "address">;

function keywordsOf({ title, names }: NamedPage, declared: Declared): Found[] {
  const from = (source: SuggestionSource, texts: readonly (string | undefined)[]) =>
    texts.flatMap((text) =>
      wordsIn(text ?? "").map((value) => ({ kind: "keyword", value, source }) as const),
    );
  const labels = (isShared(names) ? [] : names.certificate).map((name) =>
    decodeLabel(splitName(name.replace(/^\*\./, "")).registrableLabel),
  );
  return [
    ...from("site_name", [names.siteName]),
    ...from("manifest", names.manifest),
    // "Sign in | Example Bank": the name of the site is at one of the ends.
    ...from("title", nameIn(title, [...namesOf(declared), names.siteName ?? "", ...names.manifest])),
    ...from("certificate", labels),
  ].filter(({ value }) => isNew(value, declared));
}

/**
 * Returns what is before the first and after the last separator of a title. If one of them has a known name, the other
 * says what the page is for, such as "Pay a bill".
 */
function nameIn(title: string, known: readonly string[]): string[] {
  const parts = title.split(titleSeparator).map((part) => part.trim());
  const ends = parts.length === 1 ? parts : [parts.at(-1)!, parts[0]!];
  const words = known.flatMap(wordsIn);
  const named = ends.filter((end) => words.some((word) => joined(end).includes(word)));
  return named.length > 0 ? named : ends;
}

/** Returns a name as one keyword: without spaces and marks, as it is written in host names. */
function wordsIn(text: string): string[] {
  const word = joined(text);
  const isShort = word.length >= keywordLengthMin && word.length <= keywordLengthMax;
  // Host names with letters of another script are matched by the look-alike rules, not by a keyword.
  return isShort && /^[a-z0-9]+$/.test(word) && /[a-z]/.test(word) ? [word] : [];
}

function joined(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Returns the label of a domain and its keywords. */
function namesOf({ domain, keywords }: Declared): string[] {
  return [decodeLabel(splitName(domain).registrableLabel), ...keywords];
}

/** Only words that are rare enough to be matched anywhere: others would match thousands of honest names. */
function isNew(word: string, declared: Declared): boolean {
  const { domain } = declared;
  const known = namesOf(declared).map(joined);
  // "Online Banking" says nothing about whose it is.
  if (splitIntoKeywords(word) !== undefined) return false;
  if (known.some((one) => one !== "" && word.includes(one) && one.length >= keywordLengthMin)) return false;
  return !known.includes(word) && wordsFoundAnywhere({ domain, keywords: [word], allow: [] }).includes(word);
}

function allowedOf({ leadsTo, names }: NamedPage, declared: Declared): Found[] {
  const isOwn = (name: string) => isOwnHost(name, declared);
  const of = (source: SuggestionSource, hosts: readonly string[]) =>
    hosts.flatMap((host) => {
      const result = normalizeName(host);
      if (!("name" in result) || isOwn(result.name) || isPublicSuffix(result.name)) return [];
      const { registrableDomain } = splitName(result.name);
      return registrableDomain === "" ? [] : [{ kind: "allow", value: registrableDomain, source } as const];
    });
  return [
    ...of("redirect", [...(leadsTo === undefined ? [] : [leadsTo]), ...names.redirects]),
    ...(isShared(names) ? [] : of("certificate", names.certificate)),
  ];
}

/** Certificates of content delivery networks have the names of many owners. */
function isShared({ certificate }: PageNames): boolean {
  return certificate.length > certificateNamesMax;
}
