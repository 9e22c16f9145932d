import { readDomain, readKeyword } from "../config/texts.ts";
import { PublicError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { allowMax, keywordsMax } from "../vocabulary/protected-domains.ts";

/** A protected domain as the configuration file or a person declares it; names in any form. */
export interface DeclaredDomain {
  domain: string;
  keywords?: readonly string[];
  /** Names of one's own that are never threats, with all below them. */
  allow?: readonly string[];
}

/** What a declaration says, in the form that is stored: A-labels, words in lower case, nothing twice. */
export interface DomainContent {
  domain: string;
  keywords: string[];
  allow: string[];
}

/** A value that cannot be taken; `field` says where it was given. */
export class DomainFieldError extends PublicError {
  readonly field: keyof DomainContent;

  constructor(field: keyof DomainContent, message: string) {
    super("bad_request", message);
    this.name = "DomainFieldError";
    this.field = field;
  }
}

/**
 * Reads a declaration by the rules of the configuration file, whoever makes it.
 * @throws DomainFieldError naming the field, the value and what is allowed.
 */
export function readDeclaration({ domain, keywords = [], allow = [] }: DeclaredDomain): DomainContent {
  return { domain: readName("domain", domain), keywords: readKeywords(keywords), allow: readAllow(allow) };
}

export function readKeywords(words: readonly string[]): string[] {
  return distinct("keywords", words.map(readWord), keywordsMax);
}

export function readAllow(names: readonly string[]): string[] {
  return distinct(
    "allow",
    names.map((name) => readName("allow", name)),
    allowMax,
  );
}

function readName(field: "domain" | "allow", text: string): string {
  const result = readDomain(text);
  if ("value" in result) return result.value;
  throw unfit(field, text, result);
}

function readWord(text: string): string {
  const result = readKeyword(text);
  if ("value" in result) return result.value;
  throw unfit("keywords", text, result);
}

const labels = { domain: "domain", keywords: "keyword", allow: "allowed name" };

function unfit(
  field: keyof DomainContent,
  text: string,
  { allowed, nearest }: { allowed: string; nearest?: string | undefined },
): DomainFieldError {
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return new DomainFieldError(field, `the ${labels[field]} "${visible(text, 100)}" is not ${allowed}${hint}`);
}

function distinct(field: "keywords" | "allow", values: string[], countMax: number): string[] {
  const found = [...new Set(values)];
  if (found.length <= countMax) return found;
  throw new DomainFieldError(
    field,
    `there are ${found.length} ${labels[field]}s; ${countMax} are the most a domain can have`,
  );
}
