/** The kind of squatting that a reading amounts to. */
import type { Alignment } from "./alignment.ts";
import { countTypos } from "./acceptance.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context } from "./context.ts";
import type { Host } from "./host.ts";
import type { ThreatType } from "./types.ts";

/** Host names whose dot is left out: wwwexample.com for www.example.com. */
const hostPrefix =
  /^(w{2,4}\d?|web|ftp|m|mail|webmail|smtp|imap|pop3?|ns\d?|vpn|remote|autodiscover|owa|cpanel)$/;

export function classify(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  host: Host,
  sameSuffix: boolean,
): ThreatType {
  if (countTypos(alignment) > 0) {
    return context.wholeLabel && context.registrable && sameSuffix && isBitFlip(alignment)
      ? "bitsquatting"
      : "typosquatting";
  }
  if (showsOtherLetters(alignment, host)) return "homograph";
  const intact = alignment.edits.length === 0;
  if (!context.registrable || context.acrossLabels) return "levelsquatting";
  if (word.kind === "name") return context.wholeLabel ? "doppelganger" : "combosquatting";
  if (!intact) return "typosquatting";
  if (context.wholeLabel) return "tld_squatting";
  if (context.after === "" && hostPrefix.test(context.before)) return "doppelganger";
  return "combosquatting";
}

/** One character that differs in one bit: what a memory error makes of the name (Dinaburg 2011). */
export function isBitFlip(alignment: Alignment): boolean {
  const [edit, ...more] = alignment.edits;
  if (edit === undefined || more.length > 0 || edit.found.length !== 1 || edit.expected.length !== 1)
    return false;
  const bits = edit.found.charCodeAt(0) ^ edit.expected.charCodeAt(0);
  return (bits & (bits - 1)) === 0;
}

function showsOtherLetters(alignment: Alignment, host: Host): boolean {
  if (alignment.edits.some((edit) => edit.kind === "confusable")) return true;
  return host.labels.some((label) => {
    if (label.origin === undefined) return false;
    for (let i = 0; i < label.folded.length; i++) {
      const at = label.start + i;
      if (
        at >= alignment.start &&
        at < alignment.end &&
        label.folded[i] !== "-" &&
        label.shown[label.origin[i]!] !== label.folded[i]
      )
        return true;
    }
    return false;
  });
}
