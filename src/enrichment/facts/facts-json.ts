import type { PageCertificate } from "../../lookups/page/page-lookup.ts";
import type { Facts } from "./facts.ts";

/** Returns the facts in their public JSON form; `null` means unknown. */
export function factsJson({ existence, page, screenshot, unknown }: Facts): object {
  return {
    dns:
      existence === undefined
        ? null
        : {
            exists: existence.exists,
            addresses: existence.addresses,
            mail_servers: existence.mailServers,
            name_servers: existence.nameServers,
            canonical_name: existence.canonicalName ?? null,
            parked: existence.parked ?? null,
            sinkholed: existence.sinkholed ?? null,
            wildcard: existence.wildcard,
          },
    page:
      page === undefined
        ? null
        : {
            final_url: page.finalUrl,
            redirects: page.redirects,
            status: page.status,
            title: page.title,
            asks_for_password: page.asksForPassword,
            asks_for_card: page.asksForCard,
            names_brand: page.namesBrand,
            redirects_to_protected: page.redirectsToProtected,
            parked: page.parked ?? null,
            certificate: page.certificate === undefined ? null : certificateJson(page.certificate),
            favicon_hash: page.faviconHash ?? null,
          },
    visual_similarity: screenshot?.visualSimilarity ?? null,
    unknown,
  };
}

function certificateJson({ issuer, notBefore, notAfter, fault }: PageCertificate): object {
  return { issuer, not_before: notBefore, not_after: notAfter, fault: fault ?? null };
}
