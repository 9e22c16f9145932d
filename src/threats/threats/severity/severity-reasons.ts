import { counted, fillIn } from "../../../platform/lib/wording.ts";
import type { NameEvidenceCode } from "./name-evidence.ts";
import definitions from "./severity-reasons.json" with { type: "json" };

type None = Record<string, never>;

/** Reasons for a severity, as they are stored: a stable code and the parameters of its text. */
export type SeverityReason =
  | { code: "copy_seen_in_use"; params: None }
  | { code: NameEvidenceCode; params: { similarity: number } }
  /** Reasons for which versions before 0.5.0 rated a name. */
  | { code: "deceives_careful_reader" | "deceives_hurried_reader"; params: { similarity: number } }
  | { code: "resembles_protected_name"; params: { similarity: number } }
  | { code: "not_in_dns"; params: None }
  | { code: "sinkholed"; params: { by: string } }
  | { code: "leads_nowhere"; params: None }
  | { code: "receives_mail"; params: None }
  | { code: "parked"; params: { with: string } }
  | { code: "newly_registered"; params: { days: number; on?: string | undefined } }
  | { code: "long_registered"; params: { years: number; on?: string | undefined } }
  | { code: "redirects_to_protected"; params: None }
  | { code: "page_imitates"; params: { score: number } }
  | { code: "page_imitated_before"; params: None }
  | { code: "looks_like_original"; params: None }
  | { code: "asks_for_secrets"; params: { password: boolean; card: boolean } }
  | { code: "names_brand"; params: None }
  | { code: "unrelated_page"; params: None }
  /** A sentence from before reasons had codes that the migration did not recognize. */
  | { code: "legacy"; params: { text: string } };

export type SeverityReasonCode = SeverityReason["code"];

const texts: Record<SeverityReasonCode, { text: string; short: string }> = definitions;

/** Renders a reason as part of a sentence. */
export function describeSeverityReason(reason: SeverityReason): string {
  const { code, params } = reason;
  switch (code) {
    case "newly_registered":
      return params.on === undefined
        ? fillIn(texts[code].text, { days: counted(params.days, "day") })
        : fillIn(definitions[code].on, { on: params.on });
    case "long_registered":
      return fillIn(params.on === undefined ? texts[code].text : definitions[code].on, { ...params });
    case "asks_for_secrets":
      return fillIn(texts[code].text, { secrets: secretsIn(params) });
    default:
      return fillIn(texts[code].text, { ...params });
  }
}

/** Renders a reason in a few words, for lists and messages. */
export function shortSeverityReason({ code, params }: SeverityReason): string {
  const { short } = texts[code];
  return code === "asks_for_secrets" ? fillIn(short, { secrets: secretsIn(params) }) : short;
}

function secretsIn({ password, card }: { password: boolean; card: boolean }): string {
  return [password ? "a password" : "", card ? "a card number" : ""].filter(Boolean).join(" and ");
}
