/** The reasons of a finding, in the order in which a person would give them. */
import { isBitFlip } from "./classify.ts";
import type { Alignment } from "./alignment.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context } from "./context.ts";
import { labelIndexAt, type Host, type HostLabel } from "./host.ts";
import type { Reason, ThreatType } from "./types.ts";

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
  reasons.push(...editReasons(alignment, host, type), ...characterReasons(alignment, host));
  for (const keyword of context.keywords) {
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

function editReasons(alignment: Alignment, host: Host, type: ThreatType): Reason[] {
  return alignment.edits.flatMap((edit): Reason[] => {
    if (edit.kind === "separator") return [];
    const { label, start } = host.labels[labelIndexAt(host, edit.position)]!;
    const kind = type === "bitsquatting" && isBitFlip(alignment) ? "bit_flip" : edit.kind;
    return [{ kind, label, position: edit.position - start, found: edit.found, expected: edit.expected }];
  });
}

/** Characters that are not what they look like. */
function characterReasons(alignment: Alignment, host: Host): Reason[] {
  return host.labels.flatMap((label) => {
    const reasons: Reason[] = [];
    for (let i = 0; i < label.folded.length; i++) {
      const at = label.start + i;
      const character =
        at >= alignment.start && at < alignment.end ? characterAt(label, i) : label.folded[i]!;
      if (character === label.folded[i] || character === "_") continue;
      reasons.push({
        kind: "confusable",
        label: label.label,
        position: label.origin![i]!,
        found: character,
        expected: label.folded[i]!,
      });
    }
    return reasons;
  });
}

function characterAt({ shown, folded, origin }: HostLabel, index: number): string {
  return origin === undefined ? folded[index]! : String.fromCodePoint(shown.codePointAt(origin[index]!)!);
}
