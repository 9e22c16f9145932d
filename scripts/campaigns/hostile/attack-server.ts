import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFrom } from "../../benchmarks/random.ts";
import { freePort } from "../../benchmarks/server-process.ts";
import type { Check } from "../report.ts";
import { runCommand, startServer } from "../server.ts";
import { randomOfInput } from "./inputs.ts";
import { hostileList } from "./name-lists.ts";
import { hostileRequest, largeBodies } from "./raw-requests.ts";

/** Several times the 50 ms for which a useless body may delay others, because the attackers use the same processors. */
const delayMsMax = 500;
/** On a busy machine, even an idle server responds late. */
const delayFactorMax = 10;
const memoryGrowthBytesMax = 256 * 1_048_576;
const requestWaitMs = 300;
const requestsAtOnce = 20;
const bodiesAtOnce = 4;
const bodyTimeoutMs = 30_000;
const listTimeoutMs = 60_000;
const pollIntervalMs = 50;

export interface ServerAttack {
  figures: [string, string | number][];
  checks: Check[];
}

/** Attacks the executable with request heads, bodies and lists of names, and measures `/healthz` and its memory. */
export async function attackServer({
  seed,
  requests,
  lists,
}: {
  seed: number;
  requests: number;
  lists: number;
}): Promise<ServerAttack> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-hostile-"));
  const port = freePort();
  const apiKey = "campaign-key-of-more-than-twenty-characters";
  const feed = join(folder, "feed");
  mkdirSync(feed);
  const config = join(folder, "phishwatch.toml");
  writeFileSync(config, configText({ port, apiKey, folder, feed }));
  const server = await startServer({ config, port });
  const probe = startProbe(port);
  const figures: [string, string | number][] = [];
  const delays: string[] = [];
  const failures: string[] = [];
  const memoryAtFirst = peakBytes(server.pid);
  let idleMs: number | undefined;

  async function measure(what: string, count: number, work: () => Promise<void>): Promise<void> {
    await probe.longestMs();
    await work();
    const longest = await probe.longestMs();
    figures.push([
      `${what}: inputs, longest response time of /healthz (ms)`,
      `${count}, ${longest.toFixed(0)}`,
    ]);
    idleMs ??= longest;
    if (longest > Math.max(delayMsMax, delayFactorMax * idleMs))
      delays.push(`${what}: ${longest.toFixed(0)} ms`);
  }

  try {
    await measure("idle", 0, () => Bun.sleep(requestWaitMs * 4));
    await measure("request heads", requests, async () => {
      let next = 0;
      const work = async () => {
        while (next < requests) {
          const index = next++;
          const response = await exchange(port, hostileRequest(randomOfInput({ seed, index }), apiKey));
          if (response.startsWith("HTTP/1.1 500"))
            failures.push(`request ${index}: ${response.slice(0, 200)}`);
        }
      };
      await Promise.all(Array.from({ length: requestsAtOnce }, work));
    });
    for (const [kind, { type, text }] of Object.entries(largeBodies)) {
      const body = text();
      await measure(`bodies, ${kind}`, bodiesAtOnce, async () => {
        const statuses = await Promise.all(
          Array.from({ length: bodiesAtOnce }, () => send(port, apiKey, type, body)),
        );
        for (const status of statuses)
          if (status === 500 || status === 0) failures.push(`body, ${kind}: ${status}`);
      });
    }
    await measure("lists in the feed", lists, async () => {
      for (let index = 0; index < lists; index += 1) {
        const { ending, bytes } = hostileList(randomFrom(seed + index));
        const path = join(feed, `list-${index}${ending}`);
        writeFileSync(`${path}.part`, bytes);
        renameSync(`${path}.part`, path);
      }
      await feedsRead(config, lists, failures);
    });
    await measure("imported lists", lists, async () => {
      for (let index = 0; index < lists; index += 1) {
        const { kind, ending, bytes } = hostileList(randomFrom(seed + lists + index));
        const path = join(folder, `import-${index}${ending}`);
        writeFileSync(path, bytes);
        const timer = setTimeout(
          () => failures.push(`import of ${kind}: not within ${listTimeoutMs} ms`),
          listTimeoutMs,
        );
        const { exitCode, output } = await runCommand(["import", path, "--config", config]);
        clearTimeout(timer);
        if (exitCode !== 0 && (exitCode !== 1 || !output.includes("phishwatch: ")))
          failures.push(`import of ${kind}: exit ${exitCode}: ${output.slice(-300)}`);
        rmSync(path);
      }
    });
    const growth = peakBytes(server.pid) - memoryAtFirst;
    figures.push(["growth of the server's peak memory (MiB)", (growth / 1_048_576).toFixed(0)]);
    const errors = server
      .log()
      .split("\n")
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":50'));
    server.signal("SIGTERM");
    const exitCode = await server.exited;
    return {
      figures,
      checks: [
        { guarantee: `hostile requests delay /healthz by less than ${delayMsMax} ms`, violations: delays },
        {
          guarantee: `the server's peak memory grows by less than ${memoryGrowthBytesMax / 1_048_576} MiB`,
          violations: growth > memoryGrowthBytesMax ? [`${(growth / 1_048_576).toFixed(0)} MiB`] : [],
        },
        { guarantee: "no hostile input causes an internal error", violations: [...failures, ...errors] },
        {
          guarantee: "the server stops as usual",
          violations: exitCode === 0 ? [] : [`exit code ${exitCode}`],
        },
      ],
    };
  } finally {
    server.signal("SIGKILL");
    probe.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends raw bytes and returns what comes back until the server closes or nothing more is expected. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let response = "";
    const socket = net.connect({ host: "127.0.0.1", port });
    const timer = setTimeout(() => socket.destroy(), requestWaitMs);
    socket.on("data", (data: Buffer) => {
      response += data.toString("latin1");
      socket.end();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(response);
    });
    socket.write(bytes);
  });
}

/** Returns the status; 0 if there was none. */
async function send(port: number, apiKey: string, type: string, body: string): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/candidates`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": type },
      body,
      signal: AbortSignal.timeout(bodyTimeoutMs),
    });
    await response.bytes();
    return response.status;
  } catch (error) {
    // A body that is rejected early is not read to its end.
    return (error as Error).name === "TimeoutError" ? 0 : 400;
  }
}

/** Waits until the feed has read all files, or reported why not. */
async function feedsRead(config: string, files: number, failures: string[]): Promise<void> {
  const { Database } = await import("bun:sqlite");
  const database = new Database(join(config, "../phishwatch.db"), { readonly: true });
  const finished = database.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM feed_files WHERE completed_at IS NOT NULL OR error IS NOT NULL",
  );
  const until = performance.now() + listTimeoutMs;
  while (finished.get()!.count < files && performance.now() < until) await Bun.sleep(pollIntervalMs);
  if (finished.get()!.count < files)
    failures.push(`the feed read ${finished.get()!.count} of ${files} files`);
  database.close();
}

function startProbe(port: number) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "probe-process.ts"), String(port)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  return {
    /** Returns the longest response time since the last call. */
    async longestMs(): Promise<number> {
      await child.stdin.write("\n");
      await child.stdin.flush();
      return Number(new TextDecoder().decode((await reader.read()).value));
    },
    stop: () => child.kill(),
  };
}

const peakBytes = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))![1]) * 1_024;

function configText({
  port,
  apiKey,
  folder,
  feed,
}: {
  port: number;
  apiKey: string;
  folder: string;
  feed: string;
}): string {
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(join(folder, "phishwatch.db"))}
[scan]
schedule = ""
[log]
format = "json"
[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "feed"
path = ${JSON.stringify(feed)}
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
`;
}
