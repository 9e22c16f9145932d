import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import { createTurns, type Turns } from "../../../platform/network/turns.ts";
import { createWhoisClient } from "./whois-client.ts";
import { decodeBody } from "../../../platform/network/http/content-encoding.ts";
import type { HttpResponse } from "../../../platform/network/http/http-response.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { Needs } from "../../../platform/lib/needs.ts";

export interface RegistryAccess extends NetworkNeeds<"clock" | "resolveHost" | "rules" | "userAgent"> {
  turns?: Turns;
  /** Limit for one request. */
  timeoutMs?: number;
  /** Interval between two queries to one server. */
  intervalMs?: number;
}

const requestTimeoutMs = 10_000;
const queryIntervalMs = 1_000;
const turnWaitMsMax = 30_000;

/** Clients for RDAP and WHOIS, which share the pace of queries to each server. */
export type RegistryClients = ReturnType<typeof createRegistryClients>;

export function createRegistryClients({
  clock,
  rules,
  resolveHost,
  userAgent,
  turns = createTurns(),
  timeoutMs = requestTimeoutMs,
  intervalMs = queryIntervalMs,
}: RegistryAccess) {
  const client = createHttpClient({ rules, resolveHost, turns });
  const pacing = createServerPacing({ clock, intervalMs, waitMsMax: turnWaitMsMax });
  const sendQuery = createWhoisClient({ clock, rules, resolveHost, timeoutMs });
  return {
    client,
    timeoutMs,
    get: createRdapRequests({ client, clock, pacing, turns, userAgent, timeoutMs }),
    /** Sends a query to a WHOIS server when it is its turn. `read` says what the response is. Never throws. */
    queryWhois: <T>(server: string, query: string, read: (text: string) => Contact<T>) =>
      pacing.query(server, async (): Promise<Contact<T>> => {
        const response = await sendQuery(server, query);
        if ("failure" in response) return { kind: "failed", reason: response.failure };
        await turns.next();
        return read(response.text);
      }),
  };
}

/** Queries RDAP, and WHOIS if that fails for another reason than the limits of the server. */
export async function rdapElseWhois<T extends { ok: true }>(
  rdap: () => Promise<T | LookupFailure>,
  whois: () => Promise<T | LookupFailure>,
): Promise<T | LookupFailure> {
  const first = await rdap();
  if (!isError(first)) return first;
  const second = await whois();
  return isError(second) ? { ok: false, reason: `${first.reason}; ${second.reason}` } : second;
}

/** Returns whether a lookup failed for another reason than that the server is overloaded or does not know the name. */
function isError(result: { ok: true } | LookupFailure): result is LookupFailure {
  return !result.ok && result.retryAfterMs === undefined && result.unregistered !== true;
}

export interface RdapPage {
  ok: true;
  status: number;
  contentType: string;
  text: string;
  /** URL that responded, after redirects. */
  url: string;
}

/** Fetches a URL of an RDAP service, when it is its turn, and follows its redirects. Never throws for what others do. */
export type GetRdap = (url: string) => Promise<RdapPage | LookupFailure>;

/** Several times the longest response of a registrar. Takes a few milliseconds to parse, regardless of its content. */
const bodyBytesMax = 128 * 1024;
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];
/** Ports below this are rejected, so that no link or redirect makes us contact a mail server. */
const unprivilegedPort = 1_024;

/** One response: a page, the URL that it redirects to, or why its body cannot be read. */
type Hop = { page: Omit<RdapPage, "ok" | "url"> } | { redirect: string } | { problem: string };

/**
 * Creates the requests to RDAP services (RFC 7480).
 *
 * @param client rejects addresses that must not be contacted, at every hop.
 * @param timeoutMs limit for one request.
 */
function createRdapRequests(
  dependencies: NetworkNeeds<"client" | "clock" | "turns" | "userAgent"> & {
    pacing: ServerPacing;
    timeoutMs: number;
  },
): GetRdap {
  const { client, clock, pacing, turns, userAgent, timeoutMs } = dependencies;
  async function request(url: string): Promise<Contact<Hop>> {
    const result = await client.send({
      url,
      headers: { Accept: "application/rdap+json", "Accept-Encoding": "gzip", "User-Agent": userAgent },
      timeoutMs,
      bodyBytesMax,
    });
    return "response" in result
      ? readHop(result.response, url, clock.now())
      : { kind: "failed", reason: result.reason };
  }

  return async (firstUrl) => {
    let url = firstUrl;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const { host: server, port } = new URL(url);
      if (port !== "" && Number(port) < unprivilegedPort)
        return { ok: false, reason: `${server}: not a web port` };
      const target = url;
      const result = await pacing.query(server, () => request(target));
      if (!result.ok) return result;
      const hop = result.response;
      if ("problem" in hop) return { ok: false, reason: `${server}: ${hop.problem}` };
      if ("page" in hop) {
        await turns.next();
        return { ok: true, ...hop.page, url };
      }
      url = hop.redirect;
    }
    return { ok: false, reason: `more than ${redirectsMax} redirects` };
  };
}

async function readHop(response: HttpResponse, url: string, now: number): Promise<Contact<Hop>> {
  const { status, headers } = response;
  const location = headers.get("location");
  if (redirectStatuses.includes(status) && location !== undefined) {
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next === undefined || !/^https?:$/.test(next.protocol))
      return { kind: "failed", reason: "redirects to a URL that is not HTTP" };
    return { kind: "response", response: { redirect: next.href }, isFinal: false };
  }
  if (status === 429 || (status === 503 && headers.has("retry-after"))) {
    const demandedMs = retryAfterMs(status, headers.get("retry-after"), now);
    const reason = `rate limit exceeded (HTTP status ${status})`;
    return { kind: "overloaded", reason, retryAfterMs: demandedMs };
  }
  return { kind: "response", response: await readPage(response), isFinal: true };
}

async function readPage({ status, headers, body, cut }: HttpResponse): Promise<Hop> {
  const tooLong = { problem: `response is longer than ${bodyBytesMax / 1024} KiB` };
  if (cut) return tooLong;
  const decoded = await decodeBody(body, headers.get("content-encoding"), bodyBytesMax);
  if ("error" in decoded) return { problem: decoded.error };
  if (decoded.cut) return tooLong;
  const text = new TextDecoder().decode(decoded.body);
  return { page: { status, contentType: headers.get("content-type") ?? "", text } };
}

/** Why a lookup has no result. */
export interface LookupFailure {
  ok: false;
  reason: string;
  /** Set if a server is overloaded: nothing is known about the subject, and the lookup may be repeated after this time. */
  retryAfterMs?: number;
  /** No server was queried, because too many queries wait for it or it demanded a pause. */
  postponed?: boolean;
  /** Set only if the registry says that the name is not registered. */
  unregistered?: boolean;
}

/** Result of contacting a server once. */
export type Contact<T> =
  /** `isFinal`: the query is done, so the server is not overloaded; false for a redirect. */
  | { kind: "response"; response: T; isFinal: boolean }
  /** The server asks for fewer queries; `retryAfterMs` is the pause that it demands. */
  | { kind: "overloaded"; reason: string; retryAfterMs: number | undefined }
  /** There is no usable response, which says nothing about the server's load. */
  | { kind: "failed"; reason: string };

/** Limits queries to what registries tolerate: an interval between queries to one server, and a pause if it objects. */
export type ServerPacing = ReturnType<typeof createServerPacing>;

const pauseFirstMs = 60_000;
const pauseMsMax = 6 * 3_600_000;
const demandedPauseMsMax = 24 * 3_600_000;
const serversMax = 2_000;
/** Keeps the power of two finite. */
const doublingsMax = 20;

/** Times are in monotonic milliseconds. */
interface ServerState {
  nextAtMs: number;
  pausedUntilMs: number;
  objections: number;
}

/** @param waitMsMax a query that would wait longer for its turn is postponed. */
function createServerPacing(dependencies: Needs<"clock"> & { intervalMs: number; waitMsMax: number }) {
  const { clock, intervalMs, waitMsMax } = dependencies;
  /** Those that were used the longest ago are forgotten. */
  const states = new BoundedMap<string, ServerState>(serversMax);

  function stateOf(server: string): ServerState {
    const state = states.get(server) ?? { nextAtMs: 0, pausedUntilMs: 0, objections: 0 };
    states.set(server, state);
    return state;
  }

  /** Waits for the turn. Returns how long the query has to be postponed, 0 for not at all. */
  async function waitForTurn(server: string): Promise<number> {
    const state = stateOf(server);
    const nowMs = clock.monotonicMs();
    if (state.pausedUntilMs > nowMs) return state.pausedUntilMs - nowMs;
    const atMs = Math.max(nowMs, state.nextAtMs);
    const waitMs = atMs - nowMs;
    if (waitMs > waitMsMax) return waitMs;
    state.nextAtMs = atMs + intervalMs;
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    // The server may have objected to the query before this one.
    return Math.max(0, state.pausedUntilMs - clock.monotonicMs());
  }

  function pause(server: string, demandedMs: number | undefined): number {
    const state = stateOf(server);
    const doubledMs = Math.min(pauseFirstMs * 2 ** Math.min(state.objections, doublingsMax), pauseMsMax);
    const pauseMs = Math.min(Math.max(demandedMs ?? 0, doubledMs), demandedPauseMsMax);
    state.objections += 1;
    state.pausedUntilMs = clock.monotonicMs() + pauseMs;
    return pauseMs;
  }

  return {
    /**
     * Contacts a server when it is this query's turn. Postpones the query if its turn is too far away or the server
     * demanded a pause. Each objection in a row doubles the pause.
     */
    async query<T>(
      server: string,
      contact: () => Promise<Contact<T>>,
    ): Promise<{ ok: true; response: T } | LookupFailure> {
      const postponedMs = await waitForTurn(server);
      if (postponedMs > 0) {
        const reason = `${server}: query postponed to stay within its rate limit`;
        return { ok: false, reason, retryAfterMs: postponedMs, postponed: true };
      }
      const result = await contact();
      if (result.kind === "response") {
        if (result.isFinal) stateOf(server).objections = 0;
        return { ok: true, response: result.response };
      }
      const failure = { ok: false, reason: `${server}: ${result.reason}` } as const;
      return result.kind === "failed"
        ? failure
        : { ...failure, retryAfterMs: pause(server, result.retryAfterMs) };
    },
  };
}
