import type { Clock } from "../../../platform/lib/clock.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { parseJson, sendToCzds, type CzdsFailure } from "./czds-request.ts";
import { createCzdsTokens, type TokenStore } from "./czds-token.ts";

/** Client of ICANN's Centralized Zone Data Service: https://github.com/icann/czds-api-client-python. */

/** Address of the service. */
export const czdsUrl = "https://czds-api.icann.org/";
const linksUrl = `${czdsUrl}czds/downloads/links`;
const authenticateUrl = "https://account-api.icann.org/api/authenticate";
/** Hosts below this domain may receive the token, unless the configuration names another service. */
const serviceDomain = "icann.org";
const zonesMax = 5_000;

/** Zone that the account may download, with its address. */
export interface ApprovedZone {
  zone: string;
  url: string;
}

export interface Czds {
  /** Returns the zones that the account may download. */
  approvedZones(signal: AbortSignal): Promise<ApprovedZone[] | CzdsFailure>;
  /** Returns a token that is valid now: the stored one, or a new one. */
  token(signal: AbortSignal): Promise<{ token: string } | CzdsFailure>;
  /** Forgets a token that the service has rejected. */
  forgetToken(): void;
}

/** @param baseUrl address of a service with the same paths; null: that of ICANN. */
export function createCzds({
  account,
  baseUrl,
  client,
  clock,
  tokenStore,
  userAgent,
}: {
  account: { username: string; password: string };
  baseUrl: string | null;
  client: HttpClient;
  clock: Clock;
  tokenStore: TokenStore;
  userAgent: string;
}): Czds {
  const base = baseUrl?.replace(/\/+$/, "") ?? null;
  const links = base === null ? linksUrl : `${base}/czds/downloads/links`;
  const tokens = createCzdsTokens({
    account,
    url: base === null ? authenticateUrl : `${base}/api/authenticate`,
    client,
    clock,
    tokenStore,
    userAgent,
  });

  return {
    token: tokens.get,
    forgetToken: tokens.forget,
    async approvedZones(signal) {
      for (let attempt = 1; ; attempt++) {
        const access = await tokens.get(signal);
        if ("problem" in access) return access;
        const headers = { authorization: `Bearer ${access.token}`, "user-agent": userAgent };
        const request = { url: links, method: "GET" as const, headers, body: "", signal };
        const result = await sendToCzds({ client, clock }, request);
        if ("problem" in result) return result;
        if (result.status === 200) return zonesIn(result.text, links, base === null);
        if (result.status !== 401 || attempt > 1)
          return { problem: `CZDS sent no list of zones (status ${result.status}).`, retryAfterMs: null };
        tokens.forget();
      }
    },
  };
}

/** Zones whose files lie elsewhere are left out: the token must not be sent there. */
function zonesIn(text: string, from: string, isIcann: boolean): ApprovedZone[] | CzdsFailure {
  const links = parseJson(text);
  if (!Array.isArray(links))
    return { problem: "CZDS sent a list of zones that is not in the expected form.", retryAfterMs: null };
  const zones = new Map<string, string>();
  for (const link of links.slice(0, zonesMax)) {
    const url = typeof link === "string" ? URL.parse(link) : null;
    const zone = /\/([a-z0-9-]{2,63})\.zone$/i.exec(url?.pathname ?? "")?.[1]?.toLowerCase();
    if (url === null || zone === undefined || !isServiceUrl(url, from, isIcann)) continue;
    zones.set(zone, url.href);
  }
  return [...zones].map(([zone, url]) => ({ zone, url })).sort((a, b) => (a.zone < b.zone ? -1 : 1));
}

function isServiceUrl(url: URL, from: string, isIcann: boolean): boolean {
  if (!isIcann) return url.origin === new URL(from).origin;
  return url.protocol === "https:" && url.port === "" && url.hostname.endsWith(`.${serviceDomain}`);
}
