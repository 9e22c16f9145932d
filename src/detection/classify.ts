/** The kind of squatting that a reading amounts to. */
import type { Alignment } from "./alignment.ts";
import { countTypos } from "./acceptance.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context } from "./context.ts";
import { isOtherLetter, type Host } from "./host.ts";
import type { ThreatType } from "../vocabulary/threats.ts";

/** Host names whose dot is left out: wwwexample.com for www.example.com. */
const hostPrefix =
  /^(w{2,4}\d?|web|ftp|m|mail|webmail|smtp|imap|pop3?|ns\d?|vpn|remote|autodiscover|owa|cpanel)$/;

export function classify(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  host: Host,
  suffix: string,
): ThreatType {
  const sameSuffix = host.parts.suffix === suffix;
  if (countTypos(alignment) === 0 && showsOtherLetters(word, alignment, context, host, sameSuffix))
    return "homograph";
  if (isBitFlip(word, context, host, sameSuffix)) return "bitsquatting";
  if (countTypos(alignment) > 0) return "typosquatting";

  const intact = alignment.edits.length === 0;
  if (!context.registrable || context.acrossLabels) return "levelsquatting";
  if (word.kind === "name") return context.wholeLabel ? "doppelganger" : "combosquatting";
  if (!intact) return "typosquatting";
  if (context.wholeLabel) return "tld_squatting";
  if (context.after === "" && hostPrefix.test(context.before)) return "doppelganger";
  if (lacksDotOfSuffix(word, host, suffix)) return "doppelganger";
  return "combosquatting";
}

/** Whether the dot before a suffix of two labels is left out: exampleco.uk for example.co.uk. */
export function lacksDotOfSuffix(word: BrandWord, { parts, labels }: Host, suffix: string): boolean {
  const dot = suffix.indexOf(".");
  if (dot < 0 || word.kind !== "label" || parts.suffix !== suffix.slice(dot + 1)) return false;
  return labels.at(-1)!.folded === word.text + suffix.slice(0, dot);
}

/** The whole name with one bit of its label changed: what a memory error makes of it (Dinaburg 2011). */
function isBitFlip(word: BrandWord, context: Context, host: Host, sameSuffix: boolean): boolean {
  const { label } = host.labels[context.labelIndex]!;
  if (!sameSuffix || !context.wholeLabel || !context.registrable || context.acrossLabels) return false;
  if (word.kind !== "label" || label.length !== word.text.length) return false;
  let bits = 0;
  for (let i = 0; i < label.length; i++) {
    const changed = label.charCodeAt(i) ^ word.text.charCodeAt(i);
    if (changed !== 0 && bits !== 0) return false;
    bits |= changed;
  }
  return bits !== 0 && (bits & (bits - 1)) === 0;
}

function showsOtherLetters(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  host: Host,
  sameSuffix: boolean,
): boolean {
  if (alignment.edits.some((edit) => edit.kind === "confusable")) return true;
  // Under the brand's own suffix a label of the same letters would be the protected name itself.
  if (
    sameSuffix &&
    context.wholeLabel &&
    context.registrable &&
    alignment.edits.length === 0 &&
    word.kind === "label"
  ) {
    return true;
  }
  return host.labels.some((label) => {
    for (
      let i = Math.max(0, alignment.start - label.start);
      i < Math.min(label.folded.length, alignment.end - label.start);
      i++
    ) {
      if (isOtherLetter(label, i, word.ownLetters)) return true;
    }
    return false;
  });
}
