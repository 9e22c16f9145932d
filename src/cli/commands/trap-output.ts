import { systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import type { TrapKind } from "../../response/traps/kind.ts";
import type { LabeledValue, VisitColumn } from "../../response/traps/presentation.ts";
import type { Trap } from "../../response/traps/trap.ts";
import type { Traps } from "../../response/traps/traps.ts";
import type { TrapVisit, VisitTotal } from "../../response/traps/visits/store.ts";
import { printJson, printRows, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Output of the commands on traps. */

export function printTrapJson({ out }: Terminal, kind: TrapKind, traps: Traps, trap: Trap): void {
  printJson(out, {
    id: trap.id,
    name: trap.name,
    ...kind.presentation.json(trap, traps.links(kind, trap)),
    memo: trap.memo,
    enabled: trap.enabled,
    created_at: toIsoTime(trap.createdAt),
    visits: Object.fromEntries(
      traps.visits
        .totals(trap.id)
        .map((row) => [row.class, { total: row.total, last_at: toIsoTime(row.lastAt) }]),
    ),
  });
}

export function printTraps(terminal: Terminal, kind: TrapKind, traps: Traps): void {
  const { columns } = kind.presentation;
  const rows = traps.of(kind).list();
  const labels = rows.slice(0, 1).flatMap((trap) => columns(trap).map(({ label }) => label));
  printRows(terminal, rows, {
    columns: [
      { title: "ID", cell: ({ id }) => id },
      { title: "NAME", cell: ({ name }) => name, elastic: true },
      ...labels.map((label, index) => ({
        title: label.toUpperCase(),
        cell: (trap: Trap) => valueText(columns(trap)[index]!) ?? "",
        elastic: true,
      })),
      { title: "VISITS", cell: ({ id }) => totalsText(traps.visits.totals(id)), elastic: true },
      { title: "CREATED", cell: ({ createdAt }) => shortTime(createdAt) },
      { title: "STATE", cell: stateText },
    ],
    none: `no ${kind.name}s; create one with 'phishwatch ${kind.name}s create'`,
  });
}

export function printTrap(terminal: Terminal, kind: TrapKind, traps: Traps, trap: Trap): void {
  const { facts, deployment } = kind.presentation;
  const links = traps.links(kind, trap);
  const steps = deployment(trap, links);
  const inFacts = steps.filter(({ level }) => level === "fact");
  terminal.out.write(
    renderFacts([
      ["id", trap.id],
      ["name", trap.name],
      ...facts(trap).map((fact): [string, string | null] => [fact.label.toLowerCase(), valueText(fact)]),
      ...inFacts.map(({ label, snippet }): [string, string] => [label, snippet]),
      ["previous addresses", links.oldUrls.join(" ") || null],
      ["memo", trap.memo === "" ? null : trap.memo],
      ["state", stateText(trap)],
      ["created", toIsoTime(trap.createdAt)],
      ["visits", totalsText(traps.visits.totals(trap.id))],
    ]),
  );
  for (const { text, snippet } of steps.filter((step) => !inFacts.includes(step)))
    terminal.out.write(`\n${text}\n\n${snippet}\n`);
}

export function printVisits(
  terminal: Terminal,
  { json, visits, columns }: { json: boolean; visits: TrapVisit[]; columns: readonly VisitColumn[] },
): void {
  if (json) for (const visit of visits) printJson(terminal.out, visitJson(visit));
  else
    printRows(terminal, visits, {
      columns: [...sharedColumns, ...columns.flatMap((column) => visitColumns[column] ?? [])],
      none: "no visits",
    });
}

/** Warns because browsers do not load anything over plain HTTP into a page that came over HTTPS. */
export function warnAboutPlainHttp({ err }: Terminal, publicUrl: string): void {
  if (publicUrl.startsWith("https:")) return;
  err.write(
    `note: visitors would be sent to ${publicUrl}; set traps.public_url to an https:// URL that they can reach, because pages over HTTPS load nothing else\n`,
  );
}

const sharedColumns: Column<TrapVisit>[] = [
  { title: "FIRST", cell: ({ firstAt }) => shortTime(firstAt) },
  { title: "COUNT", cell: ({ count }) => String(count), right: true },
  { title: "CLASS", cell: (visit) => visit.class },
  { title: "CLIENT", cell: ({ ipAddress }) => ipAddress ?? "–" },
];

/** The referrer is too long for a line: it is in the JSON form. */
const visitColumns: Partial<Record<VisitColumn, Column<TrapVisit>>> = {
  page: { title: "PAGE", cell: ({ url }) => url, elastic: true },
  threat: { title: "THREAT", cell: ({ threatId }) => threatId ?? "–" },
  request: { title: "REQUEST", cell: ({ method, url }) => `${method} ${url}`, elastic: true },
  user_agent: { title: "USER AGENT", cell: ({ userAgent }) => userAgent ?? "–", elastic: true },
};

function visitJson(visit: TrapVisit) {
  return {
    class: visit.class,
    hostname: visit.host,
    url: visit.url,
    referrer: visit.referrer,
    claimed_url: visit.claimedUrl,
    ip_address: visit.ipAddress,
    user_agent: visit.userAgent,
    method: visit.method,
    headers: visit.headers,
    first_at: toIsoTime(visit.firstAt),
    last_at: toIsoTime(visit.lastAt),
    count: visit.count,
    event_id: visit.eventId,
    threat_id: visit.threatId,
  };
}

/** Returns, for example, `3 foreign, 120 own`, in the order of `totals`. */
function totalsText(totals: readonly VisitTotal[]): string {
  return totals.map((row) => `${row.total} ${row.class}`).join(", ") || "none";
}

function stateText({ enabled, expiresAt }: Trap): string {
  if (!enabled) return "disabled";
  if (expiresAt === null) return "enabled";
  return `${expiresAt <= systemClock.now() ? "expired" : "until"} ${shortTime(expiresAt)}`;
}

function valueText({ value }: LabeledValue): string | null {
  return "text" in value ? value.text : value.hosts.join(" ");
}
