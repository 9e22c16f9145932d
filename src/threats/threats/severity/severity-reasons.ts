type None = Record<string, never>;

/** Ways in which a name alone shows how severe a threat is; see `nameEvidence`. */
type NameCode =
  | "name_homograph"
  | "name_in_front"
  | "name_near_miss_beside_words"
  | "name_near_miss"
  | "name_other_suffix"
  | "name_missing_dot"
  | "name_beside_words"
  | "name_set_apart"
  | "name_beside_ordinary_words"
  | "name_similar";

/** Reasons for a severity, as they are stored: a stable code and the parameters of its text. */
export type SeverityReason =
  | { code: "copy_seen_in_use"; params: None }
  | { code: NameCode; params: { similarity: number } }
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

/** Renders a reason as part of a sentence. */
export function describeSeverityReason(reason: SeverityReason): string {
  const { code, params } = reason;
  switch (code) {
    case "copy_seen_in_use":
      return "a copy of the protected page was seen in use";
    case "name_homograph":
      return `the name is a homograph: its characters look like those of the protected name (similarity ${params.similarity})`;
    case "name_in_front":
      return `the complete protected name stands in front of another name (similarity ${params.similarity})`;
    case "name_near_miss_beside_words":
      return `the name contains a near miss of the brand beside phishing words (similarity ${params.similarity})`;
    case "name_near_miss":
      return `the name is a near miss of the protected name (similarity ${params.similarity})`;
    case "name_other_suffix":
      return `the name is the brand under another suffix (similarity ${params.similarity})`;
    case "name_missing_dot":
      return `the name is the protected name with a dot left out or replaced (similarity ${params.similarity})`;
    case "name_beside_words":
      return `the name contains the brand beside phishing words (similarity ${params.similarity})`;
    case "name_set_apart":
      return `the name contains the brand, set apart from the rest (similarity ${params.similarity})`;
    case "name_beside_ordinary_words":
      return `the name contains the brand beside ordinary words (similarity ${params.similarity})`;
    case "name_similar":
    case "resembles_protected_name":
      return `the name resembles the protected domain (similarity ${params.similarity})`;
    case "deceives_careful_reader":
      return `the name deceives a careful reader (similarity ${params.similarity})`;
    case "deceives_hurried_reader":
      return `the name deceives a hurried reader (similarity ${params.similarity})`;
    case "not_in_dns":
      return "the name does not exist in DNS";
    case "sinkholed":
      return `a sinkhole took over the name (${params.by})`;
    case "leads_nowhere":
      return "the name is registered but has no address and no mail server yet";
    case "receives_mail":
      return "a mail server accepts mail for the name";
    case "parked":
      return `the name is parked (${params.with})`;
    case "newly_registered":
      return params.on === undefined
        ? `the domain was registered ${params.days === 1 ? "1 day" : `${params.days} days`} before the last check`
        : `the domain was registered recently, on ${params.on}`;
    case "long_registered":
      return params.on === undefined
        ? `the domain has been registered for ${params.years} years`
        : `the domain has been registered since ${params.on}`;
    case "redirects_to_protected":
      return "the page redirects to the protected domain";
    case "page_imitates":
      return `the page imitates the protected brand (score ${params.score})`;
    case "page_imitated_before":
      return "the page imitated the protected brand when it was inspected, but no longer does";
    case "looks_like_original":
      return "the page looks like the original";
    case "asks_for_secrets":
      return `the page asks for ${secretsIn(params)}`;
    case "names_brand":
      return "the page names the brand";
    case "unrelated_page":
      return "the page is unrelated to the brand";
    case "legacy":
      return params.text;
  }
}

/** Few words for each reason whose text has no parameters. */
const shortTexts: Readonly<Record<Exclude<SeverityReasonCode, "asks_for_secrets">, string>> = {
  copy_seen_in_use: "copy of the protected page in use",
  name_homograph: "homograph",
  name_in_front: "complete name in front of another",
  name_near_miss_beside_words: "near miss beside phishing words",
  name_near_miss: "near miss",
  name_other_suffix: "brand under another suffix",
  name_missing_dot: "missing dot",
  name_beside_words: "brand beside phishing words",
  name_set_apart: "brand set apart",
  name_beside_ordinary_words: "brand beside ordinary words",
  name_similar: "similar name",
  resembles_protected_name: "similar name",
  deceives_careful_reader: "deceptive name",
  deceives_hurried_reader: "close name",
  not_in_dns: "not in DNS",
  sinkholed: "taken over by a sinkhole",
  leads_nowhere: "no server",
  receives_mail: "mail server",
  parked: "parked",
  newly_registered: "newly registered",
  long_registered: "long registered",
  redirects_to_protected: "redirects to the original",
  page_imitates: "page imitates the brand",
  page_imitated_before: "page imitated the brand before",
  looks_like_original: "page looks like the original",
  names_brand: "page names the brand",
  unrelated_page: "unrelated page",
  legacy: "recorded earlier",
};

/** Renders a reason in a few words, for lists and messages. */
export function shortSeverityReason({ code, params }: SeverityReason): string {
  return code === "asks_for_secrets" ? `page asks for ${secretsIn(params)}` : shortTexts[code];
}

function secretsIn({ password, card }: { password: boolean; card: boolean }): string {
  return [password ? "a password" : "", card ? "a card number" : ""].filter(Boolean).join(" and ");
}
