import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderAlerts } from "../../src/operations/monitoring/render-alerts.ts";
import { startPrometheus } from "../../test/support/prometheus.ts";
import { readOptions } from "../benchmarks/options.ts";
import { within } from "./faults/appliance.ts";
import { worlds, type Opened, type World } from "./monitoring/worlds.ts";
import { printReport, type Check } from "./report.ts";

const options = readOptions({
  benchmark: "monitoring",
  script: "campaign",
  summary:
    "Breaks ten servers in ten ways, and waits until a real Prometheus fires the alert of each, and none of a healthy one.\n" +
    "Needs Linux, Prometheus, and the right to create a namespace for mounts. A minute in a rule takes 50 ms, and a log that\n" +
    "is 3 seconds behind counts as one that is an hour behind.",
  options: {
    only: { default: null, value: "TEXT", description: "tries only the faults whose name contains this" },
    timeout: { default: 180, value: "SECONDS", description: "maximum time until an alert fires" },
  },
});

const insideVariable = "PHISHWATCH_CAMPAIGN_INSIDE";
if (process.env[insideVariable] === undefined) {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const child = Bun.spawn(["unshare", ...user, "--mount", "--", process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, [insideVariable]: "1" },
    stdio: ["inherit", "inherit", "inherit"],
  });
  process.exit(await child.exited);
}
const { exitCode } = Bun.spawnSync(["mount", "--make-rprivate", "/"]);
if (exitCode !== 0) throw new Error("the mounts cannot be made private");
const prometheusPath = Bun.which("prometheus");
if (prometheusPath === null) throw new Error("Prometheus is missing: apt-get install prometheus");

/** A minute of a rule, in seconds. */
const minuteSeconds = 0.05;
const lagSeconds = 3;
const folder = mkdtempSync(join(tmpdir(), "phishwatch-monitoring-"));
const chosen = worlds.filter(({ alert, name }) => alert === null || name.includes(options.only ?? ""));
const opened: [World, Opened][] = [];
for (const [index, world] of chosen.entries())
  opened.push([world, await world.open(join(folder, `${index}`))]);

const rules = renderAlerts({ minuteSeconds });
const prometheus = await startPrometheus({
  command: [prometheusPath],
  targets: Object.fromEntries(
    opened.map(([{ name }, { appliance }]) => [name, `http://127.0.0.1:${appliance.port}`]),
  ),
  rules: rules.replace("lag_seconds > 3600", `lag_seconds > ${lagSeconds}`),
});
const startedAt = performance.now();
const firedAfter = new Map<string, Map<string, number>>();

/** Notes the alerts that fire, and returns whether every expected one has fired. */
async function areAllFiring(): Promise<boolean> {
  for (const { labels } of await prometheus.firing()) {
    const { instance = "", alertname = "" } = labels;
    const own = firedAfter.get(instance) ?? new Map<string, number>();
    if (!own.has(alertname)) own.set(alertname, performance.now() - startedAt);
    firedAfter.set(instance, own);
  }
  return chosen.every(({ name, alert }) => alert === null || firedAfter.get(name)?.has(alert) === true);
}
await within(options.timeout * 1_000, areAllFiring);

const checks: Check[] = chosen.map(({ name, alert, consequences = [] }) => {
  const fired = [...(firedAfter.get(name)?.keys() ?? [])];
  const missing = alert !== null && !fired.includes(alert) ? [`${alert} does not fire`] : [];
  const wrong = fired.filter((one) => one !== alert && !consequences.some((other) => other === one));
  const seconds = alert === null ? undefined : firedAfter.get(name)?.get(alert);
  const after = seconds === undefined ? "" : ` (${(seconds / 1_000).toFixed(1)} s)`;
  return {
    guarantee: `${name}: ${alert ?? "no alert"}${after}`,
    violations: [...missing, ...wrong.map((one) => `${one} fires, too`)],
  };
});
await prometheus.stop();
for (const [, { appliance, close }] of opened) {
  await close?.();
  await appliance.stop();
}
Bun.spawnSync(["sh", "-c", `umount -l "${folder}"/*/disk 2>/dev/null`]);
rmSync(folder, { recursive: true, force: true });
const figures: [string, string | number][] = [["servers", chosen.length]];
process.exit(printReport({ figures, checks, command: "scripts/campaign monitoring" }));
