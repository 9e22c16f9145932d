import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import { linesOfList } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import parkingText from "./data/parking-markers.txt" with { type: "text" };
import secretText from "./data/secret-fields.txt" with { type: "text" };
import { foldedWords, foldText } from "./fold-text.ts";
import type { PageContent } from "./page-content.ts";
import type { FormField } from "./page-view.ts";
import { mapText } from "../markup/page-text.ts";

type Secret = "password" | "card";
interface SecretWords {
  anywhere: string[];
  whole: Set<string>;
}
const secretWords = lazy(() => readSecretWords(secretText));
/** Types of fields for text. A password field is recognized by its type alone. */
const typedInto = new Set(["text", "tel", "number", "password", ""]);
/** Autofill tokens (HTML §4.10.18.7). */
const autocompleteTokens: Record<Secret, RegExp> = {
  password: /(^|\s)(current-password|new-password|one-time-code)(\s|$)/,
  card: /(^|\s)cc-(number|csc|exp|exp-month|exp-year|name|type)(\s|$)/,
};
const labelLengthMax = 60;

/** Returns whether the page has a field for a password (or one-time code), or for a payment card. */
export function asksFor(secret: Secret, { fields, labels }: Pick<PageContent, "fields" | "labels">): boolean {
  if (secret === "password" && fields.some(({ type }) => type === "password")) return true;
  const typed = fields.filter(({ type }) => typedInto.has(type));
  if (typed.length === 0) return false;
  const describes = (text: string) => text.length <= labelLengthMax && named(text, secretWords()[secret]);
  const byField = ({ autocomplete, descriptions }: FormField) =>
    autocompleteTokens[secret].test(autocomplete) || descriptions.some(describes);
  return typed.some(byField) || labels.some(describes);
}

function named(text: string, { anywhere, whole }: SecretWords): boolean {
  const words = foldedWords(text);
  if (words.some((word) => whole.has(word))) return true;
  const joined = words.join("");
  return anywhere.some((word) => joined.includes(word));
}

function readSecretWords(text: string): Record<Secret, SecretWords> {
  const words: Record<Secret, SecretWords> = {
    password: { anywhere: [], whole: new Set() },
    card: { anywhere: [], whole: new Set() },
  };
  let section: Secret = "password";
  for (const line of linesOfList(text)) {
    if (line.startsWith("[")) section = line === "[card]" ? "card" : "password";
    else
      for (const word of line.split(" ").filter((candidate) => candidate !== "")) {
        if (word.startsWith("!")) words[section].whole.add(foldText(word.slice(1)));
        else words[section].anywhere.push(foldedWords(word).join(""));
      }
  }
  return words;
}

/** Folding triples Korean text. Only text that is made for it becomes longer. */
const foldedLengthFactorMax = 3;

/**
 * Returns whether the title or text contains the brand: its words in sequence or joined, but not as a part of another
 * word. The page's own host name is ignored, because it contains the brand by being a look-alike.
 */
export async function namesBrand(
  content: Pick<PageContent, "title" | "text">,
  brandNames: readonly string[],
  host: string,
  turns: Turns,
): Promise<boolean> {
  const own = foldText(host);
  const wordsOf = (text: string) => {
    const folded = foldText(text).slice(0, foldedLengthFactorMax * text.length);
    return foldedWords(folded.replaceAll(own, " ")).join(" ");
  };
  const spaced = ` ${await mapText(`${content.title} ${content.text}`, wordsOf, turns)} `;
  return brandNames.some((brand) => {
    const words = foldedWords(brand);
    if (words.length === 0) return false;
    return spaced.includes(` ${words.join(" ")} `) || spaced.includes(` ${words.join("")} `);
  });
}

interface ParkingMarker {
  kind: string;
  pattern: string;
  name: string;
}
const parkingMarkers = lazy(() => readParkingMarkers(parkingText));

function readParkingMarkers(fileText: string): ParkingMarker[] {
  return linesOfList(fileText).map((line) => {
    const [marker = "", name = ""] = line.split(" = ");
    const at = marker.indexOf(" ");
    const kind = marker.slice(0, at);
    const pattern = marker.slice(at + 1);
    return { kind, pattern: kind === "text" ? foldedWords(pattern).join(" ") : pattern, name };
  });
}
/** A page with more text than this is not a sales page, regardless of its words. */
const parkedTextLengthMax = 4_000;
/** Length of the descriptions after the visible text that are compared, too. */
const parkedExtraLengthMax = 1_000;

/**
 * Returns the parking service that serves the page, or "for sale", "expired" or "suspended"; undefined for any other page.
 * @param addresses URLs of redirects, scripts and frames of the page.
 */
export function parkedAs(
  content: Pick<PageContent, "title" | "text" | "visibleLength">,
  addresses: readonly URL[],
): string | undefined {
  for (const { kind, pattern, name } of parkingMarkers()) {
    if (kind === "host" && addresses.some(({ hostname }) => isAtOrBelow(hostname, pattern))) return name;
    if (kind === "path" && addresses.some(({ pathname }) => pathname.includes(pattern))) return name;
  }
  if (content.visibleLength > parkedTextLengthMax) return undefined;
  const text = content.text.slice(0, content.visibleLength + parkedExtraLengthMax);
  const words = ` ${foldedWords(`${content.title} ${text}`).join(" ")} `;
  // Chinese and Japanese are written without spaces between words.
  const holds = (pattern: string) =>
    words.includes(/^[\x20-\x7e]*$/.test(pattern) ? ` ${pattern} ` : pattern);
  return parkingMarkers().find(({ kind, pattern }) => kind === "text" && holds(pattern))?.name;
}
