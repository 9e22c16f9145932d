import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import rows from "../../../src/operations/monitoring/dashboard.json" with { type: "json" };
import { renderDashboard } from "../../../src/operations/monitoring/render-dashboard.ts";
import { alerts, renderAlerts } from "../../../src/operations/monitoring/render-alerts.ts";
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
    const dashboard = JSON.parse(renderDashboard()) as {
      panels: { title: string; description?: string; targets?: { expr: string }[] }[];
    };
    const empty: string[] = [];
    for (const { title, description = "", targets = [] } of dashboard.panels) {
      const results = await Promise.all(targets.map(({ expr }) => prometheus.query(filledIn(expr))));
      const mayBeEmpty = targets.length === 0 || description.includes(" Empty: ");
      if (results.every((result) => result.length === 0) && !mayBeEmpty) empty.push(title);
    }
    expect(empty).toEqual([]);
    const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(shown.length).toBe(rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries)).length);
    for (const expr of shown) expect(expr).toContain('{job=~"$job",instance=~"$instance"');
  });
});

/** Fills in the variables of the dashboard, as Grafana does. */
function filledIn(expr: string): string {
  return expr
    .replaceAll("$job", "phishwatch")
    .replaceAll("$instance", ".+")
    .replaceAll("$__rate_interval", "1m");
}
