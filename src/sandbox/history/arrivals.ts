import type { App } from "../../app/app.ts";
import { dayMs, toIsoTime, type Clock, type Instant } from "../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import type { Facts } from "../../facts/enrichment/facts/facts.ts";
import { certificateLogsOrigin } from "../../intake/sources/certificate-logs/batch-recorder.ts";

const minuteMs = 60_000;

/** Look-alikes that are logged while somebody looks at the demonstration, with the minutes after its start. */
const arrivals: readonly { minutes: number; name: string }[] = [
  { minutes: 2, name: "example-bank-verify.com" },
  { minutes: 5, name: "examp1e-shop.org" },
  { minutes: 9, name: "samplix-account.net" },
];

/** Lets the certificate logs show new look-alikes, so that pages say that something has arrived. */
export function scheduleArrivals({
  candidates,
  clock,
  log,
}: {
  candidates: Pick<App["candidates"], "submit">;
  clock: Pick<Clock, "after">;
  log: Log;
}): void {
  for (const { minutes, name } of arrivals)
    clock.after(minutes * minuteMs, () => {
      candidates
        .submit([name], { source: "certificate_transparency", origin: certificateLogsOrigin })
        .catch((error: unknown) => logDropped(log, error, "sandbox.arrival_not_recorded"));
    });
}

/** Returns the facts of a name that has just arrived: registered yesterday, with a mail server. */
export function factsOfArrival(name: string, now: Instant): Facts | undefined {
  if (!arrivals.some((arrival) => arrival.name === name)) return undefined;
  const nameServers = ["ns1.quicknames-dns.example", "ns2.quicknames-dns.example"];
  const createdAt = now - dayMs;
  return {
    existence: {
      exists: "yes",
      addresses: ["203.0.113.77"],
      mailServers: [`mx1.${name}`],
      nameServers,
      wildcard: false,
    },
    registration: {
      source: "rdap",
      registrar: "Quick Names LLC",
      registrar_iana_id: "9990",
      created_at: toIsoTime(createdAt),
      expires_at: toIsoTime(createdAt + 365 * dayMs),
      name_servers: nameServers,
      abuse_email: "abuse@quick.example",
      fetched_at: toIsoTime(now),
    },
    unknown: { page: "the server refuses the connection" },
  };
}
