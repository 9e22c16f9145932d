/** Explains a reading: its reasons, in the order in which a person would give them. */
import type { Edit } from "../alignment/alignment.ts";
import { metaphone } from "../letters/metaphone.ts";
import { labelIndexAt, type Host, type HostLabel } from "../names/host.ts";
import type { EditKind, Reason } from "../types.ts";
import { otherLettersIn, type Reading } from "./reading.ts";

export function explain(reading: Reading): Reason[] {
  const { word, alignment, context, host, suffix, found } = reading;
  const reasons: Reason[] = [];
  const { label, start } = host.labels[labelIndexAt(host, alignment.start)]!;
  if (reading.kind === "homophone")
    reasons.push({
      code: "sound",
      params: { label: found, expected: word.text, code: metaphone(found) },
    });
  if (word.kind === "name") reasons.push({ code: "whole_name", params: { found, expected: word.text } });
  else if (context.wholeLabel && !context.acrossLabels)
    reasons.push({ code: "whole_label", params: { label, expected: word.text } });
  else {
    const position = alignment.start - start;
    reasons.push({ code: "label_part", params: { label, position, found } });
  }
  if (alignment.edits.some((edit) => edit.kind === "separator")) {
    reasons.push({ code: "split", params: { found, expected: word.text } });
  }
  for (const edit of alignment.edits)
    if (edit.kind !== "separator") reasons.push(editReason(edit, edit.kind, host));
  for (const other of otherLettersIn(reading)) reasons.push(characterReason(other));
  for (const keyword of context.keywords) {
    if (keyword.length < shownKeywordMin) continue;
    reasons.push({ code: "keyword", params: { label: host.labels[context.labelIndex]!.label, keyword } });
  }
  if (!context.registrable) {
    reasons.push({
      code: "sub_label",
      params: {
        label: host.labels[context.labelIndex]!.label,
        registrableDomain: host.parts.registrableDomain,
      },
    });
  }
  if (host.parts.suffix !== suffix) {
    reasons.push(
      host.parts.hosted
        ? { code: "hosted", params: { suffix: host.parts.suffix } }
        : { code: "other_suffix", params: { found: host.parts.suffix, expected: suffix } },
    );
  }
  return reasons;
}

/** Minimum length of a keyword that is given as a reason; shorter ones are mostly country codes. */
const shownKeywordMin = 3;

function editReason({ found, expected, position: at }: Edit, code: EditKind, host: Host): Reason {
  const { label, start } = host.labels[labelIndexAt(host, at)]!;
  const position = at - start;
  switch (code) {
    case "omission":
      return { code, params: { label, position, expected } };
    case "insertion":
    case "repetition":
    case "plural":
      return { code, params: { label, position, found } };
    default:
      return { code, params: { label, position, found, expected } };
  }
}

/** Reason for a character that is not what it looks like. */
function characterReason({ label, index }: { label: HostLabel; index: number }): Reason {
  const position = label.origin![index]!;
  const found = String.fromCodePoint(label.shown.codePointAt(position)!);
  return {
    code: "confusable",
    params: { label: label.label, position, found, expected: label.folded[index]! },
  };
}
