import { toIsoTime } from "../../lib/clock.ts";
import type { Hit, HitCount } from "../../traps/hits.ts";
import type { Traps } from "../../traps/traps.ts";
import { number } from "../terminal/flags.ts";
import { printJson, printRows, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What the commands for beacons and for honeytokens have in common. */
export const limitFlag = number(
  "-n, --limit <count>",
  { minimum: 1, maximum: 10_000, whole: true },
  "so many, newest first",
  50,
);

const shared: Column<Hit>[] = [
  { title: "FIRST", cell: ({ firstAt }) => shortTime(firstAt) },
  { title: "TIMES", cell: ({ count }) => String(count), right: true },
  { title: "CLASS", cell: (hit) => hit.class },
  { title: "CLIENT", cell: ({ ipAddress }) => ipAddress ?? "–" },
];
const pageColumns: Column<Hit>[] = [
  ...shared,
  { title: "PAGE", cell: ({ url }) => url, elastic: true },
  { title: "THREAT", cell: ({ threatId }) => threatId ?? "–" },
];
const visitColumns: Column<Hit>[] = [
  ...shared,
  { title: "ASKED FOR", cell: ({ method, url }) => `${method} ${url}`, elastic: true },
  { title: "USER AGENT", cell: ({ userAgent }) => userAgent ?? "–", elastic: true },
];

export function printHits(
  terminal: Terminal,
  traps: Traps,
  trap: { id: string },
  { json, limit, of }: { json: boolean; limit: number; of: "beacon" | "token" },
): void {
  const rows = traps.hits.list(trap.id, { limit });
  if (json) for (const row of rows) printJson(terminal.out, hitShape(row));
  else
    printRows(terminal, rows, { columns: of === "beacon" ? pageColumns : visitColumns, none: "no visits" });
}

function hitShape(hit: Hit) {
  return {
    class: hit.class,
    hostname: hit.host,
    url: hit.url,
    referrer: hit.referrer,
    claimed_url: hit.claimedUrl,
    ip_address: hit.ipAddress,
    user_agent: hit.userAgent,
    method: hit.method,
    headers: hit.headers,
    first_at: toIsoTime(hit.firstAt),
    last_at: toIsoTime(hit.lastAt),
    count: hit.count,
    event_id: hit.eventId,
    threat_id: hit.threatId,
  };
}

export function countShape(counts: readonly HitCount[]) {
  return Object.fromEntries(
    counts.map((row) => [row.class, { total: row.total, last_at: toIsoTime(row.lastAt) }]),
  );
}

/** `3 foreign, 120 own`, the most first. */
export function countText(counts: readonly HitCount[]): string {
  return counts.map((row) => `${row.total} ${row.class}`).join(", ") || "none";
}

/** Visitors' browsers load nothing over plain HTTP into a page that came over HTTPS. */
export function warnOfPlainHttp({ err }: Terminal, publicUrl: string): void {
  if (publicUrl.startsWith("https:")) return;
  err.write(
    `note: visitors would be sent to ${publicUrl}; set traps.public_url to an https:// address that they reach, for pages over HTTPS load nothing else\n`,
  );
}
