import { markdownTable } from "../../markdown-table.ts";
import type { Subject } from "../figures.ts";
import { median } from "../statistics.ts";
import type { Machine, Measurements } from "./measurements.ts";

/** A table of the manual, which replaces the region of this name in a page. */
export interface ReportTable {
  region: string;
  /** Heading of the first column. */
  heading: string;
  steps: readonly string[];
  /** Columns. A subject without the first one is left out. */
  quantities: readonly string[];
  /** Subjects that are reported as "not installed" if they were not measured. */
  peers?: readonly string[];
}

/** Tables of the page "Performance". */
export const performanceTables: readonly ReportTable[] = [
  {
    region: "detection",
    heading: "Program",
    steps: ["programs"],
    quantities: ["names/s", "CPU time, ms", "memory, MiB", "names read", "names found"],
    peers: ["Aho-Corasick: exact words only", "Levenshtein distance of each label, as openSquat does"],
  },
  {
    region: "growth",
    heading: "Protected domains",
    steps: ["growth"],
    quantities: ["CPU time per name, ns"],
  },
  {
    region: "growth with given lists",
    heading: "Protected domains",
    steps: ["growth with given lists"],
    quantities: ["CPU time per name, ns"],
  },
  {
    region: "generation",
    heading: "Program",
    steps: ["programs"],
    quantities: ["generated names/s", "CPU time, ms", "memory, MiB", "generated names"],
    peers: ["dnstwist"],
  },
  {
    region: "start",
    heading: "Program",
    steps: ["start"],
    quantities: ["time, ms", "CPU time, ms", "memory, MiB"],
  },
  {
    region: "requests",
    heading: "Request",
    steps: ["api"],
    quantities: ["CPU time, µs", "requests/s", "median, ms", "99 %, ms"],
    peers: ["get, fastify + better-sqlite3", "get, random, fastify + better-sqlite3"],
  },
  {
    region: "deliveries",
    heading: "Program",
    steps: ["fetch loop", "deliveries"],
    quantities: ["deliveries/s", "CPU time, µs", "memory, MiB"],
  },
];

/** Tables of the page "Limits and growth". */
export const limitsTables: readonly ReportTable[] = [
  {
    region: "limits of threats",
    heading: "Size",
    steps: ["threats", "most threats"],
    quantities: [
      "on disk, MiB",
      "start, ms",
      "first middle page, ms",
      "first overview, ms",
      "memory at start, MiB",
      "after searches, MiB",
    ],
  },
  {
    region: "limits of requests",
    heading: "Size",
    steps: ["threats", "most threats"],
    quantities: [
      "list, ms",
      "middle page, ms",
      "filter, ms",
      "search, ms",
      "overview, ms",
      "console list, ms",
      "console search, ms",
    ],
  },
  {
    region: "limits of protected domains",
    heading: "Size",
    steps: ["protected domains"],
    quantities: ["match, names/s", "match, MiB", "import, names/s", "import, MiB", "start, ms", "serve, MiB"],
  },
  {
    region: "limits of lists",
    heading: "Size",
    steps: ["lists"],
    quantities: ["list, MiB", "match, s", "match, MiB"],
  },
  {
    region: "limits of deliveries",
    heading: "Size",
    steps: ["pending deliveries"],
    quantities: [
      "memory, MiB",
      "CPU time, ms/s",
      "start, ms",
      "commit to arrival, ms",
      "longest wait of a caller, ms",
    ],
  },
];

/** Indicates whether any step of a table was measured. */
export function isMeasured({ steps }: Pick<Measurements, "steps">, table: ReportTable): boolean {
  return table.steps.some((step) => step in steps);
}

/** Returns a table with the median of each figure, and the minimum and the maximum of its runs. */
export function reportTable(
  { steps }: Pick<Measurements, "steps">,
  { heading, steps: ids, quantities, peers = [] }: ReportTable,
): string {
  const measured = ids
    .flatMap((id) => steps[id] ?? [])
    .filter(({ figures }) => figures[quantities[0]!] !== undefined);
  const columns = quantities.filter((quantity) => measured.some(({ figures }) => quantity in figures));
  const rows = measured.map(({ name, figures }) => [
    name,
    ...columns.map((quantity) => formatFigure(figures[quantity] ?? [])),
  ]);
  const missing = peers
    .filter((peer) => !measured.some(({ name }) => name === peer))
    .map((peer) => [peer, ...columns.map(() => "not installed")]);
  return markdownTable([[heading, ...columns.map(capitalize)], ...rows, ...missing]);
}

/** Returns a table of the programs, their commands and the number of runs. Subjects of one command share a row. */
export function commandTable({ steps }: Pick<Measurements, "steps">, ids: readonly string[]): string {
  const subjects = ids.flatMap((id) => steps[id] ?? []);
  const byCommand = Map.groupBy(subjects, ({ program, command, figures }) =>
    JSON.stringify([program, `\`${command}\``, runsOf(figures)]),
  );
  const rows = [...byCommand].map(([key, measured]) => [
    [...new Set(measured.map(({ name }) => name))].join("; "),
    ...(JSON.parse(key) as string[]),
  ]);
  return markdownTable([["Measured", "Version", "Command", "Runs"], ...rows]);
}

/** Returns a table of what is known about the machine. */
export function machineTable(machine: Machine): string {
  return markdownTable([
    ["Condition", "Value"],
    ["Processor", `${machine.processor}, ${machine.processors} logical processors`],
    ["Memory", `${machine.memoryGiB} GiB`],
    ["System", `${machine.system}, Linux ${machine.kernel}`],
    ["Runtime", `Bun ${machine.bun}`],
    ["Load average before", machine.load.toFixed(1)],
    ["Commit", machine.commit],
    ["Date", machine.date],
  ]);
}

function formatFigure(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map(formatNumber);
  const middle = formatNumber(median(values));
  return least === greatest ? middle : `${middle} (${least}–${greatest})`;
}

/** Returns a number with three significant digits, or without decimals from 100 on. */
function formatNumber(value: number): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function runsOf(figures: Subject["figures"]): string {
  return String(Math.max(0, ...Object.values(figures).map(({ length }) => length)));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
