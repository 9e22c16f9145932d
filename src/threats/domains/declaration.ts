import { readDomain, readKeyword, readProtectedDomain } from "../../platform/config/fields/texts.ts";
import { FieldError } from "../../platform/lib/errors.ts";
import { labelProblem } from "../../platform/lib/host-names.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { allowMax, keywordsMax, keywordsNeeded } from "../../platform/vocabulary/protected-domains.ts";

/** A protected domain as the configuration file or a person declares it; names in any form. */
export interface DeclaredDomain {
  domain: string;
  keywords?: readonly string[];
  /** Legitimate names that, with their subdomains, are never threats. */
  allow?: readonly string[];
}

/** A valid declaration as it is stored: A-labels, keywords in lower case, no duplicates. */
export interface DomainContent {
  domain: string;
  keywords: string[];
  allow: string[];
}

/** An invalid value; `field` is the field that contains it. */
export class DomainFieldError extends FieldError {
  declare readonly field: keyof DomainContent;

  constructor(field: keyof DomainContent, message: string) {
    super(field, message);
    this.name = "DomainFieldError";
  }
}

/**
 * Validates and normalizes a declaration by the rules of the configuration file, for every source.
 * @throws DomainFieldError with the field, the value and what is allowed.
 */
export function validateDeclaration({ domain, keywords = [], allow = [] }: DeclaredDomain): DomainContent {
  const content = {
    domain: validateName("domain", domain),
    keywords: validateKeywords(keywords),
    allow: validateAllow(allow),
  };
  requireKeywords(content);
  return content;
}

/** @throws DomainFieldError if the domain can be recognized neither by its label nor by a keyword. */
export function requireKeywords({ domain, keywords }: Pick<DomainContent, "domain" | "keywords">): void {
  const problem = labelProblem(domain);
  if (problem === undefined || keywords.length > 0) return;
  throw new DomainFieldError("keywords", `${domain} ${problem}, so it needs ${keywordsNeeded}`);
}

/** @throws DomainFieldError */
export function validateKeywords(words: readonly string[]): string[] {
  return distinct("keywords", words.map(validateKeyword), keywordsMax);
}

/** @throws DomainFieldError */
export function validateAllow(names: readonly string[]): string[] {
  return distinct(
    "allow",
    names.map((name) => validateName("allow", name)),
    allowMax,
  );
}

function validateName(field: "domain" | "allow", text: string): string {
  const result = field === "domain" ? readProtectedDomain(text) : readDomain(text);
  if ("value" in result) return result.value;
  throw invalid(field, text, result);
}

function validateKeyword(text: string): string {
  const result = readKeyword(text);
  if ("value" in result) return result.value;
  throw invalid("keywords", text, result);
}

const labels = { domain: "domain", keywords: "keyword", allow: "allowed name" };

function invalid(
  field: keyof DomainContent,
  text: string,
  { allowed, nearest }: { allowed: string; nearest?: string | undefined },
): DomainFieldError {
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return new DomainFieldError(field, `the ${labels[field]} "${visible(text, 100)}" is not ${allowed}${hint}`);
}

function distinct(field: "keywords" | "allow", values: string[], countMax: number): string[] {
  const unique = [...new Set(values)];
  if (unique.length <= countMax) return unique;
  throw new DomainFieldError(
    field,
    `there are ${unique.length} ${labels[field]}s; a domain can have at most ${countMax}`,
  );
}
