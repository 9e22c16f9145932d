import { decodeLabel } from "../../src/engines/detection/names/name.ts";
import { escapeHidden } from "../../src/platform/lib/safe-text.ts";
import type { SeverityReason } from "../../src/threats/threats/severity/severity-reasons.ts";
import type { SimilarityReason } from "../../src/threats/threats/severity/similarity-reasons.ts";

/*
 * The sentences in which reasons were stored before they became codes, as commit 9c9da8f worded them. Frozen: tests
 * of the migration render codes with them, however the product words the codes now.
 */

export function severitySentence({ code, params }: SeverityReason): string {
  switch (code) {
    case "copy_seen_in_use":
      return "a copy of the page was seen in use";
    case "deceives_careful_reader":
      return `the name deceives a careful reader (similarity ${params.similarity})`;
    case "deceives_hurried_reader":
      return `the name deceives a hurried reader (similarity ${params.similarity})`;
    case "resembles_protected_name":
      return `the name resembles the protected one (similarity ${params.similarity})`;
    case "not_in_dns":
      return "the name is not in DNS";
    case "sinkholed":
      return `the name was taken over by a sinkhole (${params.by})`;
    case "leads_nowhere":
      return "the name is registered and leads nowhere yet";
    case "receives_mail":
      return "a mail server receives for it";
    case "parked":
      return `it is parked (${params.with})`;
    case "newly_registered":
      return `it was registered ${params.days === 1 ? "1 day" : `${params.days} days`} ago`;
    case "long_registered":
      return `it has been registered for ${params.years} years`;
    case "redirects_to_protected":
      return "it leads to the domain that it imitates";
    case "looks_like_original":
      return "its page looks like the original's";
    case "asks_for_secrets": {
      const secrets = [params.password ? "a password" : "", params.card ? "a card number" : ""];
      return `its page asks for ${secrets.filter(Boolean).join(" and ")}`;
    }
    case "names_brand":
      return "its page names the brand";
    case "unrelated_page":
      return "its page has nothing to do with the brand";
    case "legacy":
      return params.text;
    default:
      throw new Error(`no version stored a sentence for ${code}`);
  }
}

export function similaritySentence(reason: SimilarityReason): string {
  const { code, params } = reason;
  switch (code) {
    case "beacon_reported":
      return `a page with the beacon "${params.beacon}" was shown there`;
    case "copy_shown":
      return "its page is a copy of the protected domain's";
    case "legacy":
      return params.text;
    case "split":
      return `${quote(params.expected)} is split up as ${quote(params.found)}`;
    case "sound":
      return `${quote(params.label)} sounds like ${quote(params.expected)} (both ${params.code})`;
    case "whole_name":
      return `the whole name ${quote(params.expected)} is embedded as ${quote(params.found)}`;
    case "whole_label":
      return params.label === params.expected
        ? `the label is ${quote(params.expected)} and nothing else`
        : `the whole label ${quote(params.label)} reads as ${quote(params.expected)}`;
    case "label_part":
      return `${quote(params.found)} stands ${atPosition(params)}`;
    case "sub_label":
      return `the label ${quote(params.label)} stands below ${quote(params.registrableDomain)}`;
    case "hosted":
      return `anybody can have a name under ${quote(params.suffix)}`;
    case "other_suffix":
      return `the suffix is ${quote(params.found)} in place of ${quote(params.expected)}`;
    case "keyword":
      return `${quote(params.keyword)} in ${quote(params.label)} is a word that phishing names use`;
    case "confusable":
      return `${quote(params.found)}${codePoints(params.found)} looks like ${quote(params.expected)} ${atPosition(params)}`;
    case "omission":
      return `${quote(params.expected)} is left out ${atPosition(params)}`;
    case "insertion":
      return `${quote(params.found)} is added ${atPosition(params)}`;
    case "repetition":
      return `${quote(params.found)} is repeated ${atPosition(params)}`;
    case "plural":
      return `${quote(params.found)} is added as a plural ${atPosition(params)}`;
    case "transposition":
      return `${quote(params.expected)} is transposed to ${quote(params.found)} ${atPosition(params)}`;
    case "bit_flip":
      return `${quote(params.found)} is one bit away from ${quote(params.expected)} ${atPosition(params)}`;
    case "keyboard_neighbor":
      return `${quote(params.found)} is next to ${quote(params.expected)} on the keyboard ${atPosition(params)}`;
    case "vowel_swap":
      return `the vowel ${quote(params.expected)} is replaced by ${quote(params.found)} ${atPosition(params)}`;
    case "replacement":
      return `${quote(params.expected)} is replaced by ${quote(params.found)} ${atPosition(params)}`;
    default:
      throw new Error(`no version stored a sentence for ${code}`);
  }
}

function atPosition({ position, label }: { position: number; label: string }): string {
  return `at position ${position + 1} of the label ${quote(label)}`;
}

function quote(text: string): string {
  return `"${escapeHidden(text.startsWith("xn--") ? decodeLabel(text) : text)}"`;
}

function codePoints(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return "";
  const points = Array.from(
    text,
    (c) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return ` (${points.join(" ")})`;
}
