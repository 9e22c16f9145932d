/** Explains a reading: its reasons, in the order in which a person would give them. */
import { metaphone } from "../letters/metaphone.ts";
import { labelIndexAt } from "../names/host.ts";
import type { Reason } from "../types.ts";
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
  reasons.push(...editReasons(reading), ...characterReasons(reading));
  for (const keyword of context.keywords.filter(({ length }) => length >= shownKeywordMin)) {
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

function editReasons({ alignment, host }: Reading): Reason[] {
  return alignment.edits.flatMap((edit): Reason[] => {
    if (edit.kind === "separator") return [];
    const { label, start } = host.labels[labelIndexAt(host, edit.position)]!;
    const place = { label, position: edit.position - start };
    const { found, expected } = edit;
    const code = edit.kind;
    switch (code) {
      case "omission":
        return [{ code, params: { ...place, expected } }];
      case "insertion":
      case "repetition":
      case "plural":
        return [{ code, params: { ...place, found } }];
      default:
        return [{ code, params: { ...place, found, expected } }];
    }
  });
}

/** Reasons for the characters that are not what they look like. */
function characterReasons(reading: Reading): Reason[] {
  return otherLettersIn(reading).map(({ label, index }): Reason => {
    const position = label.origin![index]!;
    const found = String.fromCodePoint(label.shown.codePointAt(position)!);
    return {
      code: "confusable",
      params: { label: label.label, position, found, expected: label.folded[index]! },
    };
  });
}
