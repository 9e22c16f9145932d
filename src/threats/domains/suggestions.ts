import { wordsFoundAnywhere } from "../../engines/detection/brand/word-warnings.ts";
import { decodeLabel } from "../../engines/detection/names/name.ts";
import { splitProtected } from "../../engines/detection/names/suffix.ts";
import type { DomainContent } from "./declaration.ts";

/** Suggested words and names for a protected domain, to choose from. */
export interface Suggestions {
  /** Parts of the name that are long and rare enough to be matched anywhere. */
  keywords: string[];
  /** Names that the owner of the domain often owns too. */
  allow: string[];
}

/** Words that companies put before or after their brand. */
const tradeWords =
  "bank card mobile group wallet credit insurance telecom online shop store pay mail cloud app".split(" ");
const wordLengthMin = 4;
const keywordsMax = 6;
/** Suffixes under which the owner of a name most often has it too. */
const suffixes = ["com", "net", "org", "eu"];
const namesMax = 6;

/** Suggests brand keywords and allowed names that the declaration does not contain yet. Does no I/O. */
export function suggestFor({ domain, keywords, allow }: DomainContent): Suggestions {
  const { registrableLabel, suffix } = splitProtected(domain);
  const label = decodeLabel(registrableLabel);
  const parts = label.split("-");
  const joined = parts.join("");
  const candidates = [...withoutTradeWord(joined), ...(parts.length === 1 ? [] : parts)];
  const isUseful = (word: string) =>
    word.length >= wordLengthMin &&
    word !== label &&
    !keywords.includes(word) &&
    wordsFoundAnywhere({ domain, keywords: [word], allow: [] }).includes(word);
  const names = [
    ...(parts.length === 1 ? [] : [`${registrableLabel.replaceAll("-", "")}.${suffix}`]),
    ...suffixes.map((one) => `${registrableLabel}.${one}`),
  ];
  return {
    keywords: [...new Set(candidates)].filter(isUseful).slice(0, keywordsMax),
    allow: names.filter((name) => name !== domain && !allow.includes(name)).slice(0, namesMax),
  };
}

/** Returns `mizuho` for `mizuhobank`. */
function withoutTradeWord(text: string): string[] {
  return tradeWords.flatMap((trade) => {
    if (text.endsWith(trade)) return [text.slice(0, -trade.length)];
    return text.startsWith(trade) ? [text.slice(trade.length)] : [];
  });
}
