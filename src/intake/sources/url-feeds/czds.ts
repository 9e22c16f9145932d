import type { Instant } from "../../../platform/lib/clock.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { describeSourceFailure } from "../../../platform/network/failure.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import type { FetchFailure } from "./download-state.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** Client of ICANN's Centralized Zone Data Service: https://github.com/icann/czds-api-client-python. */

/** Address of the service. */
export const czdsUrl = "https://czds-api.icann.org/";
const linksUrl = `${czdsUrl}czds/downloads/links`;
const authenticateUrl = "https://account-api.icann.org/api/authenticate";
/** Hosts below this domain may receive the token, unless the configuration names another service. */
const serviceDomain = "icann.org";
const zonesMax = 5_000;

const tokenCharactersMax = 8_192;
/** Lifetime of a token that does not say when it expires. */
const tokenMsDefault = 23 * 3_600_000;
/** A token is not used in the last minutes of its life, because a download takes its time. */
const tokenMsMin = 5 * 60_000;
/** The service limits how often an account may authenticate. */
const authenticateMsMin = 15 * 60_000;
/** Wrong passwords are not tried more often than this. */
const rejectedMsMin = 6 * 3_600_000;

/** Zone that the account may download, with its address. */
export interface ApprovedZone {
  zone: string;
  url: string;
}

/** Stores one token as text. */
interface TokenStore {
  read(): string | undefined;
  save(text: string): Promise<void>;
}

interface StoredToken {
  /** SHA-256 of the account and the service that the token is for. */
  account: string;
  token: string;
  issuedAt: Instant;
  expiresAt: Instant;
}

export type Czds = ReturnType<typeof createCzds>;

/** @param baseUrl address of a service with the same paths; null: ICANN's service. */
export function createCzds(
  dependencies: NetworkNeeds<"client" | "clock" | "userAgent"> & {
    account: { username: string; password: string };
    baseUrl: string | null;
    tokenStore: TokenStore;
  },
) {
  const { account, baseUrl, client, clock, tokenStore, userAgent } = dependencies;
  const base = baseUrl?.replace(/\/+$/, "") ?? null;
  const links = base === null ? linksUrl : `${base}/czds/downloads/links`;
  const url = base === null ? authenticateUrl : `${base}/api/authenticate`;
  const accountHash = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([url, account.username, account.password]))
    .digest("hex");
  let isRejected = false;
  const send = (request: SmallRequest) => sendToCzds({ client, clock, userAgent }, request);

  function stored(): StoredToken | undefined {
    const text = tokenStore.read();
    const found = text === undefined ? undefined : (JSON.parse(text) as StoredToken);
    return found?.account === accountHash ? found : undefined;
  }

  async function authenticate(signal: AbortSignal): Promise<{ token: string } | FetchFailure> {
    const headers = { "content-type": "application/json" };
    const result = await send({ url, method: "POST", headers, body: JSON.stringify(account), signal });
    if ("problem" in result) return result;
    const { status, text } = result;
    if (status === 401 || status === 403 || status === 404)
      return {
        problem: `CZDS rejects the user name or the password (status ${status}): correct username and password of the feed.`,
        retryAfterMs: rejectedMsMin,
      };
    const issued = status === 200 ? tokenIn(text) : undefined;
    if (issued === undefined)
      return { problem: `CZDS sent no token (status ${status}).`, retryAfterMs: authenticateMsMin };
    const now = clock.now();
    const expiresAt = expiryOf(issued) ?? now + tokenMsDefault;
    const found: StoredToken = { account: accountHash, token: issued, issuedAt: now, expiresAt };
    await tokenStore.save(JSON.stringify(found));
    isRejected = false;
    return { token: issued };
  }

  /** Returns a token that is valid now: the stored one, or a new one. */
  async function token(signal: AbortSignal): Promise<{ token: string } | FetchFailure> {
    const found = stored();
    if (found === undefined) return authenticate(signal);
    const sinceMs = clock.now() - found.issuedAt;
    const isValid = !isRejected && sinceMs >= 0 && clock.now() < found.expiresAt - tokenMsMin;
    if (isValid) return { token: found.token };
    if (sinceMs < 0 || sinceMs >= authenticateMsMin) return authenticate(signal);
    return {
      problem: "CZDS rejects a token that it has just issued: another one is requested later.",
      retryAfterMs: authenticateMsMin - sinceMs,
    };
  }

  return {
    token,
    /** Forgets a token that the service has rejected. */
    forgetToken: () => void (isRejected = true),
    /** Returns the zones that the account may download. */
    async approvedZones(signal: AbortSignal) {
      for (let attempt = 1; ; attempt++) {
        const access = await token(signal);
        if ("problem" in access) return access;
        const headers = { authorization: `Bearer ${access.token}` };
        const result = await send({ url: links, method: "GET", headers, body: "", signal });
        if ("problem" in result) return result;
        if (result.status === 200) return zonesIn(result.text, links, base === null);
        if (result.status !== 401 || attempt > 1)
          return { problem: `CZDS sent no list of zones (status ${result.status}).`, retryAfterMs: null };
        isRejected = true;
      }
    },
  };
}

/** Zones whose files lie elsewhere are left out: the token must not be sent there. */
function zonesIn(text: string, from: string, isIcann: boolean): ApprovedZone[] | FetchFailure {
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

function tokenIn(text: string): string | undefined {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || !("accessToken" in parsed)) return undefined;
  const { accessToken } = parsed;
  const isToken =
    typeof accessToken === "string" &&
    accessToken.length <= tokenCharactersMax &&
    /^[A-Za-z0-9._~+/=-]+$/.test(accessToken);
  return isToken ? accessToken : undefined;
}

/** Returns when a JSON Web Token expires (RFC 7519 §4.1.4); undefined if it does not say. */
function expiryOf(token: string): Instant | undefined {
  const claims = parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  if (typeof claims !== "object" || claims === null || !("exp" in claims)) return undefined;
  return typeof claims.exp === "number" && Number.isFinite(claims.exp) ? claims.exp * 1_000 : undefined;
}

const timeoutMs = 60_000;
const responseBytesMax = 1 << 20;
/** Delay after a response that asks for a delay and does not say how long. */
const limitedMs = 15 * 60_000;

interface SmallRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** Sends a small request to the service. Rejects only with the reason of the signal. */
async function sendToCzds(
  { client, clock, userAgent }: NetworkNeeds<"client" | "clock" | "userAgent">,
  { body, headers, ...request }: SmallRequest,
): Promise<{ status: number; text: string } | FetchFailure> {
  const exchange = await client.send({
    ...request,
    headers: { ...headers, "user-agent": userAgent, accept: "application/json" },
    body: Buffer.from(body),
    timeoutMs,
    bodyBytesMax: responseBytesMax,
  });
  request.signal.throwIfAborted();
  if (!("response" in exchange))
    return {
      problem: `CZDS cannot be reached: ${visible(describeSourceFailure(exchange), 300)}.`,
      retryAfterMs: null,
    };
  const { status, headers: received, body: content, cut } = exchange.response;
  if (status === 429 || status === 503)
    return {
      problem: `CZDS limits requests (status ${status}): the request is repeated later.`,
      retryAfterMs: retryAfterMs(status, received.get("retry-after"), clock.now()) ?? limitedMs,
    };
  if (cut) return { problem: "CZDS sent a response that is too long.", retryAfterMs: null };
  return { status, text: new TextDecoder().decode(content) };
}
