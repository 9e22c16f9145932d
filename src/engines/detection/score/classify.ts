/** Classifies a reading by its type of squatting. */
import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { Edit } from "../alignment/alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import type { Host } from "../names/host.ts";
import { otherLettersIn, type Reading } from "./reading.ts";

/** Host names that precede a brand with the dot left out: wwwexample.com for www.example.com. */
const hostPrefix =
  /^(w{2,4}\d?|web|ftp|m|mail|webmail|smtp|imap|pop3?|ns\d?|vpn|remote|autodiscover|owa|cpanel)$/;

export function classify(reading: Reading): ThreatType {
  const { word, alignment, context, host, suffix, typos } = reading;
  if (typos.length === 0 && showsOtherLetters(reading)) return "homograph";
  if (bitFlipIn(reading) !== undefined) return "bitsquatting";
  if (typos.length > 0) return "typosquatting";

  const intact = alignment.edits.length === 0;
  if (!context.registrable || context.acrossLabels) return "levelsquatting";
  if (word.kind === "name") return context.wholeLabel ? "doppelganger" : "combosquatting";
  if (!intact) return "typosquatting";
  if (context.wholeLabel) return "tld_squatting";
  if (context.after === "" && hostPrefix.test(context.before)) return "doppelganger";
  if (lacksDotOfSuffix(word, host, suffix)) return "doppelganger";
  return "combosquatting";
}

/** Returns whether the dot before a suffix of two labels is left out: exampleco.uk for example.co.uk. */
export function lacksDotOfSuffix(word: BrandWord, { parts, labels }: Host, suffix: string): boolean {
  const dot = suffix.indexOf(".");
  if (dot < 0 || word.kind !== "label" || parts.suffix !== suffix.slice(dot + 1)) return false;
  return labels.at(-1)!.folded === word.text + suffix.slice(0, dot);
}

/**
 * Returns the one character that differs if the name is the protected domain with one bit changed, as by a memory
 * error (Dinaburg 2011). The alignment may explain it by several edits: a hyphen never pairs with a letter there.
 */
export function bitFlipIn({ word, context, host, exposed, alignment }: Reading): Edit | undefined {
  const { label } = host.labels[context.labelIndex]!;
  if (!exposed || context.acrossLabels) return undefined;
  if (word.kind !== "label" || label.length !== word.text.length) return undefined;
  const changed = Array.from(label, (_, i) => label.charCodeAt(i) ^ word.text.charCodeAt(i));
  const at = changed.findIndex((bits) => bits !== 0);
  const bits = changed[at] ?? 0;
  if (bits === 0 || (bits & (bits - 1)) !== 0 || changed.some((other, i) => other !== 0 && i !== at))
    return undefined;
  return { kind: "bit_flip", position: alignment.start + at, found: label[at]!, expected: word.text[at]! };
}

function showsOtherLetters(reading: Reading): boolean {
  const { word, alignment, exposed, hasLookAlikes } = reading;
  if (hasLookAlikes) return true;
  // Under the brand's own suffix, a label of the same letters would be the protected name itself.
  if (exposed && alignment.edits.length === 0 && word.kind === "label") return true;
  return otherLettersIn(reading).length > 0;
}
