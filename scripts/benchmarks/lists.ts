import { Database as Sqlite } from "bun:sqlite";
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode, RECURSION_DESIRED } from "dns-packet";
import { findSystemProgram } from "../../test/support/programs.ts";
import { blockListFormats, type BlockListFormat } from "../../src/platform/vocabulary/lists.ts";
import { load, rawRequest } from "./load.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable, writeConfig } from "./phishwatch.ts";
import { sampleThreats, seededDatabase } from "./seed.ts";
import { freePort, startServer } from "./server-process.ts";
import { formatTable, quantile } from "./statistics.ts";

const { names, requests } = readOptions({
  benchmark: "lists",
  summary:
    "Time to download a block list in each format: for the first time, after one threat has changed, unchanged,\n" +
    "compressed, and with the tag of the last download; the latency of API calls meanwhile; and the time in which\n" +
    "Unbound, dnsmasq and BIND start with the list, if they are installed.",
  options: {
    names: { default: 100_000, value: "N", description: "threats on the list" },
    requests: { default: 20, value: "N", description: "downloads for each figure" },
  },
});
const token = "a-token-of-the-benchmark";
const latencyMs = 4_000;
const responseTimeoutMs = 20;
const resolverTimeoutMs = 60_000;
const nxdomain = 3;
let resolved = 0;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-lists-"));
const database = join(folder, "phishwatch.db");
const seeded = seededDatabase(names);
copyFileSync(seeded.path, database);
const { ids } = sampleThreats(database, { threatCount: names, sampleSize: 5_000, seed: 7 });
const copy = new Sqlite(database);
copy.run("update threats set status = 'active'");
copy.close();
const port = freePort();
const config = writeConfig({ database, port });
appendFileSync(
  config,
  `[log]\nlevel = "error"\n[[lists]]\nname = "all"\ntoken = "${token}"\nmin_severity = "low"\nverified_only = false\n`,
);
const server = await startServer({
  name: "phishwatch",
  command: [phishwatchExecutable, "serve", "--config", config],
  port,
  readyPath: "/healthz",
  cwd: folder,
});

interface Download {
  ms: number;
  bytes: Uint8Array;
  tag: string;
}

try {
  const before = server.residentBytes();
  const first = await download("txt");
  console.log(
    `first download of ${first.bytes.filter((byte) => byte === 10).length} names: ${first.ms.toFixed(0)} ms; ` +
      `memory ${mib(before)} MiB before, ${mib(server.residentBytes())} MiB after\n`,
  );
  const rows: string[][] = [];
  for (const format of blockListFormats) rows.push(await measureFormat(format));
  const header = ["format", "MB", "gzip MB", "changed ms", "changed, gzip ms", "unchanged ms", "304 ms"];
  console.log(`${formatTable(header, rows)}\n`);
  console.log(`${formatTable(["API calls", "p50 ms", "p99 ms", "max ms"], await measureApi())}\n`);
  console.log(formatTable(["resolver", "start ms"], await measureResolvers()));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function download(format: BlockListFormat, headers: Record<string, string> = {}): Promise<Download> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/lists/${token}/all.${format}`, {
    headers: { "accept-encoding": "identity", ...headers },
    decompress: false,
  });
  const bytes = await response.bytes();
  return { ms: performance.now() - startedAt, bytes, tag: response.headers.get("etag")! };
}

/** Resolves one threat, which takes its name off the list. */
async function resolveOne(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/threats/${ids[resolved++]!}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${seeded.enterpriseKey}`, "content-type": "application/json" },
    body: JSON.stringify({ status: "resolved" }),
  });
  if (response.status !== 200) throw new Error(`PATCH: ${response.status} ${await response.text()}`);
}

async function measureFormat(format: BlockListFormat): Promise<string[]> {
  const gzip = { "accept-encoding": "gzip" };
  const [changed, changedGzip, unchanged, conditional]: Download[][] = [[], [], [], []];
  for (let count = 0; count < requests; count += 1) {
    await resolveOne();
    changed!.push(await download(format));
    await resolveOne();
    changedGzip!.push(await download(format, gzip));
    unchanged!.push(await download(format, gzip), await download(format));
    conditional!.push(await download(format, { "if-none-match": unchanged!.at(-1)!.tag }));
  }
  const megabytes = ({ bytes }: Download) => (bytes.length / 1e6).toFixed(1);
  const times = [changed!, changedGzip!, unchanged!, conditional!].map((downloads) => {
    const ms = Float64Array.from(downloads, (one) => one.ms).sort();
    return `${quantile(ms, 0.5).toFixed(1)} (max ${ms.at(-1)!.toFixed(1)})`;
  });
  return [format, megabytes(changed![0]!), megabytes(changedGzip![0]!), ...times];
}

/** Measures API calls on one connection: alone, and while a changed list is downloaded again and again. */
async function measureApi(): Promise<string[][]> {
  const list = rawRequest("GET", "/v1/threats?per_page=20", { key: seeded.enterpriseKey });
  const measure = async (name: string) => {
    const { latenciesMs } = await load({
      port,
      connections: 1,
      durationMs: latencyMs,
      nextRequest: () => list,
    });
    const figures = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99), latenciesMs.at(-1)!];
    return [name, ...figures.map((ms) => ms.toFixed(2))];
  };
  const alone = await measure("alone");
  const measured = new AbortController();
  const downloads = downloadUntil(measured.signal);
  const during = await measure("during downloads of a changed list");
  measured.abort();
  return [alone, [`${during[0]} (${await downloads})`, ...during.slice(1)]];
}

/** Downloads a changed list again and again. Returns the number of downloads. */
async function downloadUntil(end: AbortSignal): Promise<number> {
  let count = 0;
  while (!end.aborted) {
    await resolveOne();
    await download("rpz", { "accept-encoding": "gzip" });
    count += 1;
  }
  return count;
}

async function measureResolvers(): Promise<string[][]> {
  const file = async (format: BlockListFormat) => {
    const path = join(folder, `all.${format}`);
    await Bun.write(path, (await download(format)).bytes);
    return path;
  };
  const dnsPort = freePort();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const unbound = write(
    "unbound.conf",
    `server:\n interface: 127.0.0.1@${dnsPort}\n do-daemonize: no\n username: ""\n chroot: ""\n pidfile: ""\n use-syslog: no\n module-config: iterator\ninclude: "${await file("unbound")}"\n`,
  );
  const unboundZone = write(
    "unbound-rpz.conf",
    `server:\n interface: 127.0.0.1@${dnsPort}\n do-daemonize: no\n username: ""\n chroot: ""\n pidfile: ""\n use-syslog: no\n module-config: "respip iterator"\nrpz:\n name: p.rpz\n zonefile: "${await file("rpz")}"\n`,
  );
  const dnsmasq = write(
    "dnsmasq.conf",
    `port=${dnsPort}\nlisten-address=127.0.0.1\nbind-interfaces\nno-resolv\nno-hosts\nconf-file=${await file("dnsmasq")}\n`,
  );
  const bind = write(
    "named.conf",
    `options { directory "${folder}"; pid-file none; session-keyfile none; listen-on port ${dnsPort} { 127.0.0.1; }; listen-on-v6 { none; }; dnssec-validation no; response-policy { zone "p.rpz"; } qname-wait-recurse no; };\nzone "p.rpz" { type primary; file "${folder}/all.rpz"; };\ncontrols { };\n`,
  );
  const runs: [name: string, program: "unbound" | "dnsmasq" | "named", options: string[]][] = [
    ["Unbound, unbound", "unbound", ["-c", unbound]],
    ["Unbound, rpz", "unbound", ["-c", unboundZone]],
    [
      "dnsmasq",
      "dnsmasq",
      ["--keep-in-foreground", "--user=", `--conf-file=${dnsmasq}`, `--pid-file=${folder}/pid`],
    ],
    ["BIND, rpz", "named", ["-f", "-c", bind]],
  ];
  const rows: string[][] = [];
  for (const [name, program, options] of runs) {
    const command = findSystemProgram(program);
    rows.push([
      name,
      command === undefined ? "not installed" : await startMs([...command, ...options], dnsPort),
    ]);
  }
  return rows;
}

/** Returns the time until a resolver denies a name of the list. */
async function startMs(command: string[], dnsPort: number): Promise<string> {
  const listed = Buffer.from((await download("txt")).bytes.slice(0, 300))
    .toString()
    .split("\n")[0]!;
  const startedAt = performance.now();
  const resolver = Bun.spawn(command, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
  try {
    while ((await responseCode(dnsPort, listed)) !== nxdomain) {
      if (resolver.exitCode !== null) return `exit code ${resolver.exitCode}`;
      if (performance.now() - startedAt > resolverTimeoutMs) return "no response";
    }
    return (performance.now() - startedAt).toFixed(0);
  } finally {
    resolver.kill("SIGKILL");
    await resolver.exited;
  }
}

async function responseCode(dnsPort: number, name: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = await Bun.udpSocket({
    hostname: "127.0.0.1",
    connect: { hostname: "127.0.0.1", port: dnsPort },
    socket: { data: (_socket, data) => resolve(data[3]! & 15), error: () => resolve(undefined) },
  });
  const questions = [{ type: "A" as const, name, class: "IN" as const }];
  socket.send(encode({ type: "query", id: 1, flags: RECURSION_DESIRED, questions }));
  const timer = setTimeout(() => resolve(undefined), responseTimeoutMs);
  const code = await promise;
  clearTimeout(timer);
  socket.close();
  return code;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
