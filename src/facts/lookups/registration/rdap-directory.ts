import type { Clock } from "../../../platform/lib/clock.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { embeddedRdapServices, parseBootstrap, type RdapServices, rdapServices } from "./rdap-services.ts";

/** Finds RDAP services in IANA's current list, or in the embedded copy if that cannot be downloaded. */
export interface RdapDirectory {
  serviceFor(domain: string): Promise<string | undefined>;
}

export const ianaBootstrapUrl = "https://data.iana.org/rdap/dns.json";
const refreshedKeepMs = 7 * 86_400_000;
const retryAfterMs = 86_400_000;
/** Several times the length of the list. */
const listBytesMax = 256 * 1024;
/** A list that is much shorter than the embedded one is taken as an error. */
const suffixesMin = 500;

/** @param url URL of IANA's list; undefined: use the embedded list only. */
export function createRdapDirectory({
  client,
  clock,
  url,
  userAgent,
  timeoutMs,
}: {
  client: HttpClient;
  clock: Clock;
  url: string | undefined;
  userAgent: string;
  timeoutMs: number;
}): RdapDirectory {
  const embedded = lazy(embeddedRdapServices);
  let refreshed: RdapServices | undefined;
  /** In monotonic milliseconds; undefined before the first refresh. */
  let nextRefreshAtMs: number | undefined;
  let refreshing: Promise<void> | undefined;

  async function refresh(from: string): Promise<void> {
    const result = await client.send({
      url: from,
      method: "GET",
      headers: { Accept: "application/json", "User-Agent": userAgent },
      body: new Uint8Array(0),
      timeoutMs,
      bodyBytesMax: listBytesMax,
    });
    nextRefreshAtMs = clock.monotonicMs() + retryAfterMs;
    if (!("response" in result) || result.response.status !== 200 || result.response.cut) return;
    const list = parseBootstrap(new TextDecoder().decode(result.response.body));
    if ("error" in list || list.services.length < suffixesMin) return;
    refreshed = rdapServices(list.services);
    nextRefreshAtMs = clock.monotonicMs() + refreshedKeepMs;
  }

  return {
    async serviceFor(domain) {
      if (url !== undefined && (nextRefreshAtMs === undefined || clock.monotonicMs() >= nextRefreshAtMs)) {
        refreshing ??= refresh(url).finally(() => (refreshing = undefined));
        await refreshing;
      }
      return (refreshed ?? embedded()).serviceFor(domain);
    },
  };
}
