import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import embeddedKeywords from "./keywords.txt" with { type: "text" };

/** Apart from the lexicon, which takes long to load. */
const sections = lazy(() => listText("keywords", embeddedKeywords).split(/^(?=#)/m));
const phishingWords = lazy(() => wordsOf(sections().filter((section) => !section.startsWith("# Ordinary:"))));
const signInWords = lazy(() => wordsOf(sections().filter((section) => section.startsWith("# Sign-in:"))));

function wordsOf(some: readonly string[]): ReadonlySet<string> {
  return new Set(some.flatMap((section) => section.replace(/^#.*/, "").split(/\s+/)));
}

/**
 * Returns whether a keyword, or its singular, is one that phishing names use to make visitors act, such as `login`, as
 * opposed to an ordinary word, such as `guide`.
 */
export function isPhishingWord(keyword: string): boolean {
  return phishingWords().has(keyword) || phishingWords().has(keyword.replace(/s$/, ""));
}

/** Returns whether a keyword stands on sign-in pages, or in messages that lead there. */
export function isSignInWord(keyword: string): boolean {
  return signInWords().has(keyword);
}
