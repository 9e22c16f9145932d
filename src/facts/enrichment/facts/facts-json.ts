import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { describeSignal } from "../../../platform/vocabulary/page-signals.ts";
import type { Facts, HostNetwork } from "./facts.ts";

/** Returns the facts in their public JSON form; `null` means unknown. */
export function factsJson({ existence, networks, page, screenshot, unknown }: Facts): object {
  return {
    dns:
      existence === undefined
        ? null
        : jsonFields(
            existence,
            "exists addresses mailServers nameServers canonicalName parked sinkholed wildcard",
          ),
    page: page === undefined ? null : pageJson(page),
    networks: networks === undefined ? null : networks.map(networkJson),
    visual_similarity: screenshot?.visualSimilarity ?? null,
    unknown,
  };
}

function pageJson(page: NonNullable<Facts["page"]>): object {
  const { certificate } = page;
  return {
    ...jsonFields(page, "finalUrl redirects status title asksForPassword asksForCard namesBrand"),
    ...jsonFields(page, "redirectsToProtected parked"),
    certificate:
      certificate === undefined ? null : jsonFields(certificate, "issuer notBefore notAfter fault"),
    ...jsonFields(page, "faviconHash"),
  };
}

/** Returns the latest comparison of the page with the protected site in its public JSON form; null: never compared. */
export function inspectionJson({ page, pageAt }: Pick<Facts, "page" | "pageAt">): object | null {
  const imitation = page?.imitation;
  if (imitation === undefined) return null;
  return {
    ...jsonFields(imitation, "protectedDomain imitates score original"),
    signals: imitation.signals.map((signal) => ({
      ...jsonFields(signal, "code points"),
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
    ...jsonFields(network, "name organization country asn abuseEmail abusePhone source"),
    source_url: network.url,
    looked_up_at: toIsoTime(network.at),
  };
}
