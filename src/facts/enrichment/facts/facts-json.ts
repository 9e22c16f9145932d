import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import type { PageCertificate } from "../../lookups/page/page-lookup.ts";
import { describeSignal } from "../../../platform/vocabulary/page-signals.ts";
import type { Facts, HostNetwork } from "./facts.ts";

/** Returns the facts in their public JSON form; `null` means unknown. */
export function factsJson({ existence, networks, page, screenshot, unknown }: Facts): object {
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
    networks: networks === undefined ? null : networks.map(networkJson),
    visual_similarity: screenshot?.visualSimilarity ?? null,
    unknown,
  };
}

/** Returns the latest comparison of the page with the protected site in its public JSON form; null: never compared. */
export function inspectionJson({ page, pageAt }: Pick<Facts, "page" | "pageAt">): object | null {
  const imitation = page?.imitation;
  if (imitation === undefined) return null;
  return {
    protected_domain: imitation.protectedDomain,
    imitates: imitation.imitates,
    score: imitation.score,
    original: imitation.original ?? null,
    signals: imitation.signals.map((signal) => ({
      code: signal.code,
      points: signal.points,
      text: describeSignal(signal),
    })),
    inspected_at: optionalIsoTime(pageAt),
  };
}

function networkJson(network: HostNetwork): object {
  return {
    addresses: network.addresses,
    first_address: network.first,
    last_address: network.last,
    name: network.name ?? null,
    organization: network.organization ?? null,
    country: network.country ?? null,
    asn: network.asn ?? null,
    abuse_email: network.abuseEmail ?? null,
    abuse_phone: network.abusePhone ?? null,
    source: network.source,
    source_url: network.url,
    looked_up_at: toIsoTime(network.at),
  };
}

function certificateJson({ issuer, notBefore, notAfter, fault }: PageCertificate): object {
  return { issuer, not_before: notBefore, not_after: notAfter, fault: fault ?? null };
}
