import { Database } from "bun:sqlite";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

/** State of the server at one time. Memory and files are in MiB. */
export type Sample = Record<(typeof columns)[number], number>;

const columns = [
  "minutes",
  "resident",
  "private",
  "heap",
  "descriptors",
  "threads",
  "log",
  "database",
  "threats",
  "events",
  "deliveries",
  "pending",
  "inspections",
] as const;

const mebibyte = 2 ** 20;
const countedTables = {
  threats: "SELECT count(*) AS count FROM threats",
  events: "SELECT count(*) AS count FROM events",
  deliveries: "SELECT count(*) AS count FROM deliveries",
  pending: "SELECT count(*) AS count FROM deliveries WHERE status = 'pending'",
  inspections: "SELECT count(*) AS count FROM inspections",
};

/** Samples a server until it is stopped. @param path file to which each sample is added, as a line of CSV */
export function createSampler({
  pid,
  url,
  databasePath,
  path,
}: {
  pid: number;
  url: string;
  databasePath: string;
  path: string;
}) {
  const startedAt = performance.now();
  writeFileSync(path, `${columns.join(",")}\n`);
  return {
    async sample(): Promise<void> {
      const status = readFileSync(`/proc/${pid}/status`, "latin1");
      const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const values: Sample = {
        minutes: (performance.now() - startedAt) / 60_000,
        resident: field("VmRSS") / 1024,
        private: field("RssAnon") / 1024,
        heap: Number(/^phishwatch_heap_used_bytes (\S+)$/m.exec(metrics)?.[1]) / mebibyte,
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        threads: field("Threads"),
        log: sizeOf(`${databasePath}-wal`),
        database: sizeOf(databasePath),
        ...countRows(databasePath),
      };
      appendFileSync(path, `${columns.map((name) => Number(values[name].toFixed(3))).join(",")}\n`);
    },
  };
}

/** Reads the samples of a file. @throws if it has other columns */
export function readSamples(path: string): Sample[] {
  const [header, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  if (header !== columns.join(",")) throw new Error(`${path} has no samples of a soak`);
  return lines.map((line) => {
    const values = line.split(",").map(Number);
    return Object.fromEntries(columns.map((name, index) => [name, values[index]!])) as Sample;
  });
}

function sizeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / mebibyte;
}

function countRows(path: string): Record<keyof typeof countedTables, number> {
  const database = new Database(path, { readonly: true });
  try {
    const counts = Object.entries(countedTables).map(([name, sql]) => [
      name,
      database.query<{ count: number }, []>(sql).get()!.count,
    ]);
    return Object.fromEntries(counts) as Record<keyof typeof countedTables, number>;
  } finally {
    database.close();
  }
}
