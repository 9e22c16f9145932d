import { listText } from "../../lib/lists/list-texts.ts";
import { lazy } from "../../lib/startup.ts";
import embeddedKeywords from "./keywords.txt" with { type: "text" };

/** Apart from the lexicon, which takes long to load. */
const words = lazy(() => {
  const sections = listText("keywords", embeddedKeywords).split(/^(?=#)/m);
  const telling = sections.filter((section) => !section.startsWith("# Ordinary:"));
  return new Set(telling.flatMap((section) => section.replace(/^#.*/, "").split(/\s+/)));
});

/**
 * Returns whether a keyword, or its singular, is one that phishing names use to make visitors act, such as `login`, as
 * opposed to an ordinary word, such as `guide`.
 */
export function isPhishingWord(keyword: string): boolean {
  return words().has(keyword) || words().has(keyword.replace(/s$/, ""));
}
