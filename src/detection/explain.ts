/** The reasons of a finding, in the order in which a person would give them. */
import type { Alignment } from "./alignment.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context } from "./context.ts";
import { isOtherLetter, labelIndexAt, type Host } from "./host.ts";
import type { Reason } from "./types.ts";
import type { ThreatType } from "../vocabulary/threats.ts";

export function explain(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  host: Host,
  suffix: string,
  type: ThreatType,
): Reason[] {
  const reasons: Reason[] = [];
  const found = host.text.slice(alignment.start, alignment.end);
  const { label, start } = host.labels[labelIndexAt(host, alignment.start)]!;
  if (word.kind === "name") reasons.push({ kind: "whole_name", found, expected: word.text });
  else if (context.wholeLabel && !context.acrossLabels)
    reasons.push({ kind: "whole_label", label, expected: word.text });
  else {
    const position = alignment.start - start;
    reasons.push({ kind: "label_part", label, position, found, expected: word.text });
  }
  if (alignment.edits.some((edit) => edit.kind === "separator")) {
    reasons.push({ kind: "split", found, expected: word.text });
  }
  reasons.push(...editReasons(alignment, host, type), ...characterReasons(word, alignment, host));
  for (const keyword of context.keywords.filter(({ length }) => length >= shownKeywordMin)) {
    reasons.push({ kind: "keyword", label: host.labels[context.labelIndex]!.label, keyword });
  }
  if (!context.registrable) {
    reasons.push({
      kind: "sub_label",
      label: host.labels[context.labelIndex]!.label,
      registrableDomain: host.parts.registrableDomain,
    });
  }
  if (host.parts.suffix !== suffix) {
    reasons.push(
      host.parts.hosted
        ? { kind: "hosted", suffix: host.parts.suffix }
        : { kind: "other_suffix", found: host.parts.suffix, expected: suffix },
    );
  }
  return reasons;
}

/** Shorter ones are mostly countries, and say little. */
const shownKeywordMin = 3;

function editReasons(alignment: Alignment, host: Host, type: ThreatType): Reason[] {
  return alignment.edits.flatMap((edit): Reason[] => {
    if (edit.kind === "separator") return [];
    const { label, start } = host.labels[labelIndexAt(host, edit.position)]!;
    const kind = type === "bitsquatting" ? "bit_flip" : edit.kind;
    return [{ kind, label, position: edit.position - start, found: edit.found, expected: edit.expected }];
  });
}

/** Characters that are not what they look like. */
function characterReasons(word: BrandWord, alignment: Alignment, host: Host): Reason[] {
  return host.labels.flatMap((label) => {
    const reasons: Reason[] = [];
    const first = Math.max(0, alignment.start - label.start);
    const end = Math.min(label.folded.length, alignment.end - label.start);
    for (let i = first; i < end; i++) {
      if (!isOtherLetter(label, i, word.ownLetters)) continue;
      const position = label.origin![i]!;
      const found = String.fromCodePoint(label.shown.codePointAt(position)!);
      reasons.push({ kind: "confusable", label: label.label, position, found, expected: label.folded[i]! });
    }
    return reasons;
  });
}
