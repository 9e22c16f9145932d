/** Which protected names a name imitates. */
import { decodeLabel, normalizeName } from "./name.ts";
import { splitName, type NameParts } from "./suffix.ts";
import type { Match, ProtectedName, Reason, ThreatType } from "./types.ts";

export interface Matcher {
  /** `name` in any form of host name; what is no host name matches nothing. */
  match(name: string): Match[];
}

interface Target {
  domain: string;
  own: readonly string[];
  words: string[];
}

export function createMatcher(
  protectedNames: readonly ProtectedName[],
  options: { minSimilarity: number },
): Matcher {
  const targets = protectedNames.map((name): Target => {
    const words = [splitName(name.domain).registrableLabel, ...name.keywords].map(skeleton);
    return { domain: name.domain, own: [name.domain, ...name.allow], words: [...new Set(words)] };
  });
  return {
    match(text) {
      const normalized = normalizeName(text);
      if ("error" in normalized) return [];
      const { name } = normalized;
      const parts = splitName(name);
      return targets
        .filter((target) => !target.own.some((own) => name === own || name.endsWith(`.${own}`)))
        .flatMap((target) => judge(target, parts))
        .filter((match) => match.similarity >= options.minSimilarity);
    },
  };
}

function judge(target: Target, parts: NameParts): Match[] {
  let best: Match | undefined;
  const offer = (type: ThreatType, similarity: number, reasons: Reason[]): void => {
    if (best !== undefined && best.similarity >= similarity) return;
    best = { protectedDomain: target.domain, type, similarity: Math.round(similarity * 1e4) / 1e4, reasons };
  };
  for (const word of target.words) {
    const label = parts.registrableLabel;
    const shown = skeleton(label);
    const whole: Reason = { kind: "whole_label", label, expected: word };
    if (label === word) offer("tld_squatting", 0.95, [whole]);
    else if (shown === word) offer("homograph", 0.98, [whole]);
    else if (word.length >= 6 && oneEditApart(shown, word))
      offer("typosquatting", 1 - 1 / word.length, [whole]);
    else if (word.length >= 5 && shown.includes(word)) {
      const part: Reason = {
        kind: "label_part",
        label,
        position: shown.indexOf(word),
        found: word,
        expected: word,
      };
      offer(label.includes(word) ? "combosquatting" : "homograph", 0.85, [part]);
    }
    for (const sub of parts.subLabels) {
      if (word.length < 5 || !skeleton(sub).includes(word)) continue;
      const reason: Reason = { kind: "sub_label", label: sub, registrableDomain: parts.registrableDomain };
      offer(sub.includes(word) ? "levelsquatting" : "homograph", 0.8, [reason]);
    }
  }
  return best === undefined ? [] : [best];
}

function skeleton(label: string): string {
  return decodeLabel(label).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** One insertion, omission, replacement or transposition of neighbours. */
function oneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const restA = a.slice(start);
  const restB = b.slice(start);
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
