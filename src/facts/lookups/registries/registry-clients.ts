import type { Clock } from "../../../platform/lib/clock.ts";
import type { AddressRules } from "../../../platform/network/addresses.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import { createTurns, type Turns } from "../../../platform/network/turns.ts";
import { createRdapRequests } from "./rdap-requests.ts";
import { createServerPacing } from "./server-pacing.ts";
import { createWhoisClient } from "./whois-client.ts";

export interface RegistryAccess {
  clock: Clock;
  /** Connections are made only to addresses that these allow, no matter who names the server. */
  rules: AddressRules;
  resolveHost: ResolveHost;
  userAgent: string;
  /** Shared with everything else that processes responses. */
  turns?: Turns;
  /** Limit for one request. */
  timeoutMs?: number;
  /** Interval between two queries to one server. */
  intervalMs?: number;
}

const requestTimeoutMs = 10_000;
const whoisResponseBytesMax = 64 * 1024;
const queryIntervalMs = 1_000;
const turnWaitMsMax = 30_000;

/** Creates the clients for RDAP and WHOIS, which share the pace of queries to each server. */
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
  const responseBytesMax = whoisResponseBytesMax;
  return {
    client,
    pacing,
    turns,
    timeoutMs,
    get: createRdapRequests({ client, clock, pacing, userAgent, timeoutMs }),
    query: createWhoisClient({ clock, rules, resolveHost, timeoutMs, responseBytesMax }),
  };
}
