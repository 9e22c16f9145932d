import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import { createTurns, type Turns } from "../../../platform/network/turns.ts";
import { createRdapRequests } from "./rdap-requests.ts";
import { createServerPacing, type Contact, type LookupFailure } from "./server-pacing.ts";
import { createWhoisClient } from "./whois-client.ts";

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
