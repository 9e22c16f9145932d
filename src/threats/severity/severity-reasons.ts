type None = Record<string, never>;

/** Reasons for a severity, as they are stored: a stable code and the parameters of its text. */
export type SeverityReason =
  | { code: "copy_seen_in_use"; params: None }
  | { code: "deceives_careful_reader"; params: { similarity: number } }
  | { code: "deceives_hurried_reader"; params: { similarity: number } }
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

/** Renders a reason as text; the only place that words it. */
export function describeSeverityReason({ code, params }: SeverityReason): string {
  switch (code) {
    case "copy_seen_in_use":
      return "a copy of the protected page was seen in use";
    case "deceives_careful_reader":
      return `the name deceives a careful reader (similarity ${params.similarity})`;
    case "deceives_hurried_reader":
      return `the name deceives a hurried reader (similarity ${params.similarity})`;
    case "resembles_protected_name":
      return `the name resembles the protected domain (similarity ${params.similarity})`;
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
      return "the page imitated the protected brand when it was inspected, but does no longer";
    case "looks_like_original":
      return "the page looks like the original";
    case "asks_for_secrets": {
      const secrets = [params.password ? "a password" : "", params.card ? "a card number" : ""];
      return `the page asks for ${secrets.filter(Boolean).join(" and ")}`;
    }
    case "names_brand":
      return "the page names the brand";
    case "unrelated_page":
      return "the page is unrelated to the brand";
    case "legacy":
      return params.text;
  }
}
