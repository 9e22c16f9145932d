import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { phishwatchExecutable } from "./phishwatch.ts";
import { formatTable, median, quantile } from "./statistics.ts";

// From the start of `phishwatch sandbox` to its ready line, beside the start of the program that does nothing else
// (`phishwatch version`), in turns; and what twenty sandboxes that run at a time have of memory for themselves.

const { values } = parseArgs({
  options: { runs: { type: "string", default: "20" }, together: { type: "string", default: "20" } },
});
const runs = Number(values.runs);
const together = Number(values.together);
const privateMiBMax = 60;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-sandbox-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Until the first bytes of its output, in milliseconds. */
async function start(args: string[]) {
  const startedAt = performance.now();
  const child = Bun.spawn([phishwatchExecutable, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await child.stdout.getReader().read();
  const ms = performance.now() - startedAt;
  return { child, ms, line: new TextDecoder().decode(value) };
}

async function end(child: Bun.Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}

const contestants: Record<string, string[]> = { "phishwatch version": ["version"], sandbox: ["sandbox"] };
const times = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]));
for (let run = -1; run < runs; run += 1) {
  for (const [name, args] of Object.entries(contestants)) {
    const { child, ms } = await start(args);
    if (run >= 0) times.get(name)!.push(ms);
    await end(child);
  }
}
const rows = [...times].map(([name, all]) => {
  const ascending = all.toSorted((a, b) => a - b);
  return [
    name,
    ...[quantile(ascending, 0), median(all), quantile(ascending, 0.9)].map((ms) => ms.toFixed(1)),
  ];
});
console.log(formatTable(["start to ready, ms", "least", "median", "p90"], rows));

const all = await Promise.all(Array.from({ length: together }, () => start(["sandbox"])));
const memory = await Promise.all(
  all.map(async ({ child, line }) => {
    const { base_url: url, keys } = JSON.parse(line) as { base_url: string; keys: { enterprise: string } };
    const answer = await fetch(`${url}/threats`, { headers: { Authorization: `Bearer ${keys.enterprise}` } });
    if (answer.status !== 200) throw new Error(`a sandbox answered ${answer.status}`);
    return memoryOf(child.pid);
  }),
);
await Promise.all(all.map(({ child }) => end(child)));
const column = (name: keyof (typeof memory)[number]) => {
  const each = memory.map((one) => one[name]);
  return [name, median(each).toFixed(1), Math.max(...each).toFixed(1)];
};
console.log(
  `\n${formatTable([`${together} at a time, MiB of each`, "median", "most"], [column("private"), column("proportional"), column("resident")])}`,
);
const most = Math.max(...memory.map((one) => one.private));
console.log(
  `\nfor itself: ${most.toFixed(1)} MiB (goal: at most ${privateMiBMax}) ${most <= privateMiBMax ? "reached" : "MISSED"}`,
);

/** In MiB: what it shares with nobody, what it shares in parts, all (proc_pid_smaps_rollup(5)). */
function memoryOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kiB = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);
  return {
    private: (kiB("Private_Clean") + kiB("Private_Dirty")) / 1024,
    proportional: kiB("Pss") / 1024,
    resident: kiB("Rss") / 1024,
  };
}
