import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonOption, phishwatchProgram, shownCommand, writeFigures } from "./figures.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { formatTable, median, printGoal, quantile } from "./statistics.ts";

const { runs, concurrent, json } = readOptions({
  benchmark: "sandbox",
  summary:
    "Time from starting `phishwatch sandbox` to its ready line, next to `phishwatch version`, which does nothing else;\n" +
    "then the private memory of several sandboxes that run at the same time.",
  options: {
    runs: { default: 20, value: "N", description: "measured starts of each" },
    concurrent: { default: 20, value: "N", description: "sandboxes that run at the same time" },
    json: jsonOption,
  },
});
const privateMiBMax = 60;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-sandbox-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Starts the executable and measures the time to its first output. */
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

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}

const contestants: Record<string, string[]> = { "phishwatch version": ["version"], sandbox: ["sandbox"] };
const times = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]));
for (let run = -1; run < runs; run += 1) {
  for (const [name, args] of Object.entries(contestants)) {
    const { child, ms } = await start(args);
    if (run >= 0) times.get(name)!.push(ms);
    await stop(child);
  }
}
const rows = [...times].map(([name, all]) => {
  const ascending = all.toSorted((a, b) => a - b);
  return [
    name,
    ...[quantile(ascending, 0), median(all), quantile(ascending, 0.9)].map((ms) => ms.toFixed(1)),
  ];
});
console.log(formatTable(["start to ready, ms", "min", "median", "p90"], rows));

const sandboxes = await Promise.all(Array.from({ length: concurrent }, () => start(["sandbox"])));
const memory = await Promise.all(
  sandboxes.map(async ({ child, line }) => {
    const { base_url: url, keys } = JSON.parse(line) as { base_url: string; keys: { enterprise: string } };
    const headers = { Authorization: `Bearer ${keys.enterprise}` };
    const response = await fetch(`${url}/threats`, { headers });
    if (response.status !== 200) throw new Error(`a sandbox returned ${response.status}`);
    return memoryOf(child.pid);
  }),
);
await Promise.all(sandboxes.map(({ child }) => stop(child)));
const column = (name: keyof (typeof memory)[number]) => {
  const each = memory.map((one) => one[name]);
  return [name, median(each).toFixed(1), Math.max(...each).toFixed(1)];
};
console.log(
  `\n${formatTable([`${concurrent} at the same time, MiB each`, "median", "max"], [column("private"), column("proportional"), column("resident")])}`,
);
console.log();
printGoal("maximum private memory, MiB", Math.max(...memory.map((one) => one.private)), {
  kind: "at most",
  limit: privateMiBMax,
  digits: 1,
});
writeFigures(
  json,
  [...times].map(([name, all]) => ({
    name,
    program: phishwatchProgram(),
    command: shownCommand([phishwatchExecutable, ...contestants[name]!]),
    figures: {
      "time, ms": all,
      ...(name === "sandbox" ? { "private memory, MiB": memory.map((one) => one.private) } : {}),
    },
  })),
);

/** Returns private, proportional and resident memory in MiB (proc_pid_smaps_rollup(5)). */
function memoryOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kiB = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);
  return {
    private: (kiB("Private_Clean") + kiB("Private_Dirty")) / 1024,
    proportional: kiB("Pss") / 1024,
    resident: kiB("Rss") / 1024,
  };
}
