import { lazy } from "../../../platform/lib/startup.ts";
import type { PageView } from "../../lookups/page/page-view.ts";
import { foldText } from "../../lookups/page/fold-text.ts";
import { withoutQuery } from "../measures/addresses.ts";
import { isOwnHost, type Owner } from "./own-names.ts";
import type { PageNames, OriginalRole } from "../model/original.ts";
import linkWords from "./link-words.json" with { type: "json" };

/** Roles that links are recognized by. */
type LinkedRole = Extract<OriginalRole, "sign_in" | "payment">;

/** A page to sign in or pay, found by a link. */
export interface LinkedPage {
  /** Without fragment, and without a query unless only that shows the role. */
  url: string;
  role: LinkedRole;
  /** Text of the link; empty for a frame. */
  text: string;
}

/** `own`: pages on names of the owner, the clearest first. `elsewhere`: on other names. */
export interface DiscoveredPages {
  own: LinkedPage[];
  elsewhere: LinkedPage[];
}

/** Number of discovered pages of each role that are captured. Most brands have one of each. */
export const discoveredMax: Record<LinkedRole, number> = { sign_in: 2, payment: 1 };
const elsewhereMax = 4;
const linksMax = 2_000;
/** A longer text is a sentence or a heading, in which the word need not name the target. */
const textLengthMax = 40;
const phraseLengthMin = 5;
/** Number of words of a text in which one word is enough: "Customer login", but not "The history of payments". */
const wordsMax = 3;
const urlLengthMax = 500;
const roles = Object.keys(discoveredMax) as LinkedRole[];

/** Finds links of a home page to pages to sign in and to pay, by their texts and by words of their addresses. */
export function discoverPages(
  view: Pick<PageView, "addresses" | "links" | "linkTexts" | "resources">,
  owner: Owner,
): DiscoveredPages {
  const texts = view.linkTexts ?? [];
  const seen = new Set(texts.map(({ url }) => url));
  const frames = view.resources.filter(({ kind }) => kind === "frame").map(({ url }) => url);
  const untitled = [...view.links, ...frames]
    .filter((url) => !seen.has(url))
    .map((url) => ({ url, text: "" }));
  const pages = new Set(view.addresses.map(withoutQuery));
  const found = [...texts, ...untitled].slice(0, linksMax).flatMap(({ url, text }) => {
    const target = targetOf(url);
    if (target === undefined || pages.has(withoutQuery(target.href))) return [];
    const best = roles
      .map((role) => ({ role, score: scoreOf(role, target, text) }))
      .toSorted((one, other) => other.score - one.score)[0]!;
    return best.score === 0
      ? []
      : [{ url: addressOf(target, best.role), text, host: target.hostname, ...best }];
  });
  // Stable: of equal ones, the first in the document, which is usually in the head of the page.
  const sorted = found.toSorted((one, other) => other.score - one.score);
  const chosen = (items: typeof found, countMax: (role: LinkedRole) => number): LinkedPage[] =>
    roles.flatMap((role) =>
      distinct(items.filter((item) => item.role === role))
        .slice(0, countMax(role))
        .map(({ url, text }) => ({ url, role, text })),
    );
  return {
    own: chosen(
      sorted.filter(({ host }) => isOwnHost(host, owner)),
      (role) => discoveredMax[role],
    ),
    elsewhere: chosen(
      sorted.filter(({ host, score }) => !isOwnHost(host, owner) && score >= titledScore),
      () => elsewhereMax,
    ),
  };
}

/** Score of a link whose text names the role. */
const titledScore = 3;

function scoreOf(role: LinkedRole, target: URL, text: string): number {
  const words = `${target.hostname}${decoded(target.pathname)}`.toLowerCase().split(/[/.?&=]+/);
  const { other, [role]: telling } = pathWords();
  if (words.some((word) => other.includes(stemOf(word)))) return 0;
  const isNamed = words.some((word) => telling.includes(stemOf(word)));
  const query = [...target.searchParams].flat().some((word) => telling.includes(word.toLowerCase()));
  const phrase = fold(text);
  const isTitled = phrase.length > 0 && phrase.length <= textLengthMax && hasPhrase(role, phrase);
  return (isTitled ? titledScore : 0) + (isNamed || query ? 1 : 0);
}

/**
 * Folded texts of links to pages on which visitors sign in or pay, in common languages. A row of the file has texts of one
 * or a few languages.
 */
const phrases = lazy(() => ({
  sign_in: foldPhrases(linkWords.phrases.sign_in),
  payment: foldPhrases(linkWords.phrases.payment),
}));

/** Parts of the paths and host names of such pages; `other`: of pages that lead to something else, although they look alike. */
const pathWords = lazy(() => ({
  sign_in: linkWords.pathWords.sign_in.split(" "),
  payment: linkWords.pathWords.payment.split(" "),
  other: linkWords.pathWords.other.split(" "),
}));

function hasPhrase(role: LinkedRole, text: string): boolean {
  const isShort = text.split(" ").length <= wordsMax;
  return phrases()[role].some(({ phrase, isPart }) => {
    if (text === phrase) return true;
    if (isPart === "anywhere") return text.includes(phrase);
    return isPart && (isShort || phrase.includes(" ")) && ` ${text} `.includes(` ${phrase} `);
  });
}

/** A short word, such as "pay", has to be the whole text. Some scripts do not separate words. */
function foldPhrases(rows: readonly string[]): { phrase: string; isPart: boolean | "anywhere" }[] {
  return rows
    .flatMap((row) => row.split("|"))
    .map((text) => {
      const phrase = fold(text);
      const isJoined = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(text);
      return { phrase, isPart: isJoined ? "anywhere" : phrase.length >= phraseLengthMin };
    });
}

function fold(text: string): string {
  return foldText(text.slice(0, 5 * textLengthMax))
    .replaceAll("đ", "d")
    .replace(/[^\p{L}\p{N}'-]+/gu, " ")
    .trim();
}

/** Returns the word of a path without the ending of a file. */
function stemOf(word: string): string {
  return word.replace(/\.(html?|php|aspx?|jsp|do)$/, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function targetOf(url: string): URL | undefined {
  if (url.length > urlLengthMax) return undefined;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  if (target.username !== "" || target.password !== "") return undefined;
  target.hash = "";
  return target;
}

/** Queries mostly carry where to return to, which differs from visit to visit. */
function addressOf(target: URL, role: LinkedRole): string {
  const bare = new URL(target);
  bare.search = "";
  return scoreOf(role, bare, "") === 0 && scoreOf(role, target, "") > 0 ? target.href : bare.href;
}

function distinct<T extends { url: string }>(items: readonly T[]): T[] {
  return [...new Map(items.toReversed().map((item) => [item.url, item])).values()].toReversed();
}

const namesMax = 50;
const nameLengthMax = 100;
const hostLengthMax = 253;

/** Returns the names in a page, its manifest, its certificate and the redirects to it. */
export function pageNamesOf(view: PageView, owner: Owner): PageNames {
  const hosts = view.addresses.flatMap((address) => URL.parse(address)?.hostname ?? []);
  return {
    siteName: view.siteName?.slice(0, nameLengthMax),
    manifest: bounded(view.manifestNames ?? [], nameLengthMax),
    certificate: bounded(view.certificateNames ?? [], hostLengthMax),
    redirects: bounded(hosts, hostLengthMax),
    elsewhere: discoverPages(view, owner).elsewhere,
  };
}

function bounded(names: readonly string[], lengthMax: number): string[] {
  return [...new Set(names)].slice(0, namesMax).map((name) => name.slice(0, lengthMax));
}
