import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { nameRows } from "../../../src/operations/monitoring/dashboard/name-rows.ts";
import { renderDashboard } from "../../../src/operations/monitoring/dashboard/render-dashboard.ts";
import { systemRows } from "../../../src/operations/monitoring/dashboard/system-rows.ts";
import { alerts } from "../../../src/operations/monitoring/rules/alerts.ts";
import { renderAlerts } from "../../../src/operations/monitoring/rules/render-alerts.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../../support/command-line.ts";
import { findCommand } from "../../support/programs.ts";
import { startPrometheus, type Prometheus } from "../../support/prometheus.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

const command = findCommand("prometheus");

describe.skipIf(command === undefined)("a Prometheus that scrapes a running appliance", () => {
  let folder: CommandFolder;
  let prometheus: Prometheus;
  let server: Awaited<ReturnType<CommandFolder["serve"]>>;
  let receiver: ReturnType<typeof startReceiver>;

  beforeAll(async () => {
    receiver = startReceiver(() => new Response("", { status: 500 }));
    folder = commandFolder(`${defaultConfig}
[[webhooks.endpoints]]
name = "soc"
url = "${receiver.url}"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
[[api_keys]]
name = "test"
key = "pw_live_0123456789abcdef0123456789abcdef"
scopes = ["candidates:write"]
`);
    server = await folder.serve();
    await fetch(`${server.url}/v1/candidates`, {
      method: "POST",
      headers: {
        authorization: "Bearer pw_live_0123456789abcdef0123456789abcdef",
        "content-type": "text/plain",
      },
      body: "example-bank.net\n",
    });
    prometheus = await startPrometheus({
      command: command!,
      targets: { one: server.url },
      rules: renderAlerts({ baseUrl: "https://phishwatch.example", minuteSeconds: 0.05 }),
    });
    const scrapes = () => prometheus.query("count_over_time(phishwatch_ready[1m])");
    await until(async () => Number((await scrapes())[0]?.value[1] ?? 0) >= 3, "three scrapes", 20_000);
  }, 60_000);
  afterAll(async () => {
    await prometheus?.stop();
    await server?.stop();
    folder?.dispose();
    await receiver?.stop();
  });

  test("reads OpenMetrics without an error", async () => {
    const { activeTargets } = await prometheus.get<{
      activeTargets: { health: string; lastError: string }[];
    }>("/api/v1/targets");
    expect(activeTargets).toMatchObject([{ health: "up", lastError: "" }]);
    // The text format has no units.
    const metadata = await prometheus.get<Record<string, { type: string; unit: string }[]>>(
      "/api/v1/metadata?metric=process_cpu_seconds",
    );
    expect(metadata).toMatchObject({ process_cpu_seconds: [{ type: "counter", unit: "seconds" }] });
  });

  test("evaluates every alert rule", async () => {
    const { groups } = await prometheus.get<{
      groups: { rules: { name: string; health: string; lastError?: string }[] }[];
    }>("/api/v1/rules");
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.map(({ name }) => name)).toEqual(Object.keys(alerts));
    for (const { name, health, lastError } of rules)
      expect([name, health, lastError ?? ""]).toEqual([name, "ok", ""]);
  });

  test("alerts of a dead endpoint, with its name and a link to the manual, and of nothing else", async () => {
    await until(async () => (await prometheus.firing()).length > 0, "an alert fires", 20_000);
    expect(await prometheus.firing()).toMatchObject([
      {
        labels: { alertname: "PhishwatchRecipientFailing", severity: "warning", recipient: "soc" },
        annotations: {
          summary: "Deliveries to soc fail",
          runbook_url: "https://phishwatch.example/docs/notify#failing-endpoints",
        },
      },
    ]);
  });

  test("has a result for every query of the dashboard, except where the panel says why it is empty", async () => {
    const panels = [...nameRows, ...systemRows].flatMap((row) => row.panels);
    const empty: string[] = [];
    for (const { title, queries, emptyBecause } of panels) {
      const results = await Promise.all(queries.map(({ expr }) => prometheus.query(filledIn(expr))));
      if (results.every((result) => result.length === 0) && emptyBecause === undefined) empty.push(title);
    }
    expect(empty).toEqual([]);
    const dashboard = JSON.parse(renderDashboard()) as {
      panels: { type: string; targets?: { expr: string }[] }[];
    };
    const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(shown).toEqual(panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)));
  });
});

/** Fills in the variables of the dashboard, as Grafana does. */
function filledIn(expr: string): string {
  return expr
    .replaceAll("$job", "phishwatch")
    .replaceAll("$instance", ".+")
    .replaceAll("$__rate_interval", "1m");
}
