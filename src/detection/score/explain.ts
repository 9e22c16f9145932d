/** The reasons of a finding, in the order in which a person would give them. */
import { labelIndexAt } from "../names/host.ts";
import { metaphone } from "../letters/metaphone.ts";
import { otherLettersIn, type Reading } from "./reading.ts";
import type { Reason } from "../types.ts";
import type { ThreatType } from "../../vocabulary/threats.ts";

export function explain(reading: Reading, type: ThreatType): Reason[] {
  const { word, alignment, context, host, suffix, found } = reading;
  const reasons: Reason[] = [];
  const { label, start } = host.labels[labelIndexAt(host, alignment.start)]!;
  if (reading.kind === "homophone")
    reasons.push({ kind: "sound", label: found, expected: word.text, code: metaphone(found) });
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
  reasons.push(...editReasons(reading, type), ...characterReasons(reading));
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

function editReasons({ alignment, host }: Reading, type: ThreatType): Reason[] {
  return alignment.edits.flatMap((edit): Reason[] => {
    if (edit.kind === "separator") return [];
    const { label, start } = host.labels[labelIndexAt(host, edit.position)]!;
    const kind = type === "bitsquatting" ? "bit_flip" : edit.kind;
    return [{ kind, label, position: edit.position - start, found: edit.found, expected: edit.expected }];
  });
}

/** Reasons for the characters that are not what they look like. */
function characterReasons(reading: Reading): Reason[] {
  return otherLettersIn(reading).map(({ label, index }): Reason => {
    const position = label.origin![index]!;
    const found = String.fromCodePoint(label.shown.codePointAt(position)!);
    return { kind: "confusable", label: label.label, position, found, expected: label.folded[index]! };
  });
}
