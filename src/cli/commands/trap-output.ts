import { systemClock } from "../../platform/lib/clock.ts";
import type { EntryColumn, EntryFact } from "../../access/entries/presentation.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import type { TrapKind } from "../../response/traps/kind.ts";
import type { LabeledValue, VisitColumn } from "../../response/traps/presentation.ts";
import type { Trap } from "../../response/traps/trap.ts";
import type { Traps } from "../../response/traps/traps.ts";
import type { TrapVisit, VisitTotal } from "../../response/traps/visits/store.ts";
import { printList, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Output of the commands on traps. */

export function trapJson(kind: TrapKind, traps: Traps, trap: Trap): Record<string, unknown> {
  return {
    ...jsonFields(trap, "id name"),
    ...kind.presentation.json(trap, traps.links(kind, trap)),
    ...jsonFields(trap, "memo enabled createdAt"),
    visits: Object.fromEntries(
      traps.visits.totals(trap.id).map((row) => [row.class, jsonFields(row, "total lastAt")]),
    ),
  };
}

/** The first trap of a kind determines its columns. */
export function trapColumns(kind: TrapKind, traps: Traps): EntryColumn<Trap>[] {
  const { columns } = kind.presentation;
  const [first] = traps.of(kind).list();
  const own = first === undefined ? [] : columns(first);
  return [
    ...own.map(({ label }, index) => ({
      title: label,
      cell: (trap: Trap) => valueText(columns(trap)[index]!),
      elastic: true,
    })),
    { title: "visits", cell: ({ id }) => totalsText(traps.visits.totals(id)), elastic: true },
    { title: "created", cell: ({ createdAt }) => ({ at: createdAt }) },
    { title: "state", cell: stateText },
  ];
}

export function trapFacts(kind: TrapKind, traps: Traps, trap: Trap): EntryFact[] {
  const { facts, deployment } = kind.presentation;
  const links = traps.links(kind, trap);
  const inFacts = deployment(trap, links).filter(({ level }) => level === "fact");
  return [
    ...facts(trap).map((fact): EntryFact => [fact.label.toLowerCase(), valueText(fact)]),
    ...inFacts.map(({ label, snippet }): EntryFact => [label, snippet]),
    ["previous addresses", links.oldUrls.join(" ") || null],
    ["memo", trap.memo || null],
    ["state", stateText(trap)],
    ["created", { at: trap.createdAt }],
    ["visits", totalsText(traps.visits.totals(trap.id))],
  ];
}

/** Returns the steps to deploy a trap that are too long for its facts. */
export function deploymentText(kind: TrapKind, traps: Traps, trap: Trap): string {
  const steps = kind.presentation.deployment(trap, traps.links(kind, trap));
  return steps
    .filter(({ level }) => level !== "fact")
    .map(({ text, snippet }) => `\n${text}\n\n${snippet}\n`)
    .join("");
}

export function printVisits(
  call: Parameters<typeof printList>[0],
  visits: TrapVisit[],
  columns: readonly VisitColumn[],
): void {
  printList(call, visits, {
    columns: [...sharedColumns, ...columns.flatMap((column) => visitColumns[column] ?? [])],
    none: "no visits",
    json: visitJson,
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
    ...jsonFields(visit, "url referrer claimedUrl ipAddress userAgent method headers firstAt lastAt count"),
    ...jsonFields(visit, "eventId threatId"),
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
