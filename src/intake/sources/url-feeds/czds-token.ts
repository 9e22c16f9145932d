import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { parseJson, sendToCzds, type CzdsFailure } from "./czds-request.ts";

const tokenCharactersMax = 8_192;
/** Lifetime of a token that does not say when it expires. */
const tokenMsDefault = 23 * 3_600_000;
/** A token is not used in the last minutes of its life, because a download takes its time. */
const tokenMsMin = 5 * 60_000;
/** The service limits how often an account may authenticate. */
const authenticateMsMin = 15 * 60_000;
/** Wrong passwords are not tried more often than this. */
const rejectedMsMin = 6 * 3_600_000;

/** Stores one token as text. */
export interface TokenStore {
  read(): string | undefined;
  save(text: string): Promise<void>;
}

/** Tokens of an account, which are used as long as they are valid. */
export interface CzdsTokens {
  /** Returns a token that is valid now: the stored one, or a new one. */
  get(signal: AbortSignal): Promise<{ token: string } | CzdsFailure>;
  /** Forgets a token that the service has rejected. */
  forget(): void;
}

interface StoredToken {
  /** SHA-256 of the account and the service that the token is for. */
  account: string;
  token: string;
  issuedAt: Instant;
  expiresAt: Instant;
}

export function createCzdsTokens({
  account,
  url,
  client,
  clock,
  tokenStore,
  userAgent,
}: {
  account: { username: string; password: string };
  url: string;
  client: HttpClient;
  clock: Clock;
  tokenStore: TokenStore;
  userAgent: string;
}): CzdsTokens {
  const accountHash = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([url, account.username, account.password]))
    .digest("hex");
  let isRejected = false;

  function stored(): StoredToken | undefined {
    const text = tokenStore.read();
    const found = text === undefined ? undefined : (JSON.parse(text) as StoredToken);
    return found?.account === accountHash ? found : undefined;
  }

  async function authenticate(signal: AbortSignal): Promise<{ token: string } | CzdsFailure> {
    const headers = { "content-type": "application/json", "user-agent": userAgent };
    const body = JSON.stringify(account);
    const result = await sendToCzds({ client, clock }, { url, method: "POST", headers, body, signal });
    if ("problem" in result) return result;
    const { status, text } = result;
    if (status === 401 || status === 403 || status === 404)
      return {
        problem: `CZDS rejects the user name or the password (status ${status}): correct username and password of the feed.`,
        retryAfterMs: rejectedMsMin,
      };
    const token = status === 200 ? tokenIn(text) : undefined;
    if (token === undefined)
      return { problem: `CZDS sent no token (status ${status}).`, retryAfterMs: authenticateMsMin };
    const now = clock.now();
    const expiresAt = expiryOf(token) ?? now + tokenMsDefault;
    const found: StoredToken = { account: accountHash, token, issuedAt: now, expiresAt };
    await tokenStore.save(JSON.stringify(found));
    isRejected = false;
    return { token };
  }

  return {
    forget: () => void (isRejected = true),
    async get(signal) {
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
    },
  };
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
