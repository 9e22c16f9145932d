import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findManualPage } from "../../../src/manual/manual.ts";
import rows from "../../../src/operations/monitoring/dashboard.json" with { type: "json" };
import { metrics, type Metric } from "../../../src/operations/monitoring/metrics/metrics.ts";
import {
  alerts,
  renderAlerts,
  type Alert,
  type AlertName,
} from "../../../src/operations/monitoring/render-alerts.ts";
import { findCommand } from "../../support/programs.ts";

const promtool = findCommand("promtool");
const folder = mkdtempSync(join(tmpdir(), "alerts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Series in the notation of promtool: `0x9` is ten times 0, `0+5x9` grows by 5. One value a minute. */
type Input = Readonly<Record<string, string>>;
interface AlertCase {
  firing: Input;
  quiet: Input;
  /** Labels of the alert in addition to job, instance and severity. */
  labels?: Readonly<Record<string, string>>;
  /** When the alert has to fire, in minutes; default: an hour after the start. */
  atMinute?: number;
}

const minutes = 180;
/** Longer than the longest wait of an alert. */
const atMinuteMax = 1_500;
const always = (value: number) => `${value}x${minutes}`;
const rising = (step: number) => `0+${step}x${minutes}`;
const scraped = 'job="phishwatch",instance="a"';
const of = (name: string, labels = "") => `${name}{${labels === "" ? scraped : `${scraped},${labels}`}}`;
const plain = (name: string, firing: number, quiet: number): AlertCase => ({
  firing: { [of(name)]: always(firing) },
  quiet: { [of(name)]: always(quiet) },
});
const recipient = (state: string) =>
  of("phishwatch_recipient_state", `recipient="soc",state="${state}",failure="status"`);
const source = 'kind="feed",source="nrd"';
const requests = (status: number) =>
  of("phishwatch_http_requests_total", `route="/v1/threats",method="GET",status="${status}"`);
const bucket = (le: string) =>
  of("phishwatch_http_request_duration_seconds_bucket", `route="/v1/threats",le="${le}"`);
const days = 86_400;
const attention = (reason: string): AlertCase => ({
  firing: { [of("phishwatch_takedown_attention", `reason="${reason}"`)]: `2x${atMinuteMax}` },
  quiet: { [of("phishwatch_takedown_attention", `reason="${reason}"`)]: always(0) },
  labels: { reason },
});

/** The type requires a case for each alert. */
const cases: Record<AlertName, AlertCase> = {
  PhishwatchDown: plain("up", 0, 1),
  PhishwatchNotReady: plain("phishwatch_ready", 0, 1),
  PhishwatchDiskNearlyFull: plain("phishwatch_disk_free_bytes", 400e6, 600e6),
  PhishwatchDatabaseDamaged: plain("phishwatch_database_quick_check_ok", 0, 1),
  PhishwatchDatabaseLocked: plain("phishwatch_database_locked_seconds", 60, 3),
  PhishwatchRecipientFailing: {
    firing: { [recipient("held")]: always(1) },
    quiet: { [recipient("enabled")]: always(1), [recipient("disabled")]: always(1) },
    labels: { recipient: "soc" },
  },
  PhishwatchDeliveriesDelayed: {
    firing: { [of("phishwatch_delivery_oldest_waiting_seconds", 'recipient="soc"')]: always(4000) },
    quiet: { [of("phishwatch_delivery_oldest_waiting_seconds", 'recipient="soc"')]: always(100) },
    labels: { recipient: "soc" },
  },
  PhishwatchTakedownReportsDelayed: plain("phishwatch_takedown_oldest_queued_seconds", 4000, 100),
  PhishwatchTakedownReportsUndelivered: {
    ...attention("not_delivered"),
    atMinute: 90,
  },
  PhishwatchFollowUpsOverdue: {
    ...attention("follow_up"),
    atMinute: atMinuteMax,
  },
  PhishwatchCampaignsBehind: plain("phishwatch_campaigns_behind_seconds", 900, 30),
  PhishwatchRetentionFailing: { ...plain("phishwatch_retention_last_success", 0, 1), atMinute: 150 },
  PhishwatchSourceStopped: {
    firing: { [of("phishwatch_source_ok", source)]: always(0) },
    quiet: {
      [of("phishwatch_source_ok", source)]: always(0),
      [of("phishwatch_source_state", `${source},state="paused"`)]: always(1),
      [of("phishwatch_source_ok", 'kind="feed",source="other"')]: always(1),
    },
    labels: { kind: "feed", source: "nrd" },
  },
  PhishwatchCertificateLogLagging: {
    firing: { [of("phishwatch_certificate_log_lag_seconds", 'log="L",operator="O"')]: always(7200) },
    quiet: { [of("phishwatch_certificate_log_lag_seconds", 'log="L",operator="O"')]: always(60) },
    labels: { log: "L", operator: "O" },
  },
  PhishwatchInspectionsBehind: {
    ...plain("phishwatch_inspection_oldest_waiting_seconds", 2 * days, 3600),
    atMinute: 90,
  },
  PhishwatchInspectionsDropped: {
    firing: { [of("phishwatch_inspections_dropped_total")]: rising(5) },
    quiet: { [of("phishwatch_inspections_dropped_total")]: always(5) },
  },
  PhishwatchOriginalsFailing: {
    firing: { [of("phishwatch_originals", 'state="failing"')]: `1x${atMinuteMax}` },
    quiet: {
      [of("phishwatch_originals", 'state="failing"')]: always(0),
      [of("phishwatch_originals", 'state="waiting"')]: `1x${atMinuteMax}`,
    },
    labels: { state: "failing" },
    atMinute: atMinuteMax,
  },
  PhishwatchScanFailed: plain("phishwatch_scan_last_success", 0, 1),
  PhishwatchScanOverdue: {
    // The clock of promtool begins at 0.
    firing: { [of("phishwatch_scan_last_completed_timestamp_seconds")]: always(-3 * days) },
    quiet: { [of("phishwatch_scan_last_completed_timestamp_seconds")]: always(-1 * days) },
    atMinute: 90,
  },
  PhishwatchNoResolver: {
    firing: { [of("phishwatch_resolvers", 'verdict="honest"')]: always(0) },
    quiet: {
      [of("phishwatch_resolvers", 'verdict="honest"')]: always(1),
      [of("phishwatch_resolvers", 'verdict="silent"')]: always(0),
    },
    labels: { verdict: "honest" },
  },
  PhishwatchCertificateExpiring: {
    firing: { [of("phishwatch_certificate_expiry_timestamp_seconds", 'use="server"')]: always(10 * days) },
    quiet: { [of("phishwatch_certificate_expiry_timestamp_seconds", 'use="server"')]: always(30 * days) },
    labels: { use: "server" },
    atMinute: 90,
  },
  PhishwatchBackupMissing: {
    ...plain("phishwatch_backup_overdue_seconds", 2 * days, 3600),
    atMinute: 90,
  },
  PhishwatchArchiveFailing: plain("phishwatch_archive_ok", 0, 1),
  PhishwatchRequestsFailing: {
    firing: { [requests(200)]: rising(90), [requests(500)]: rising(10) },
    quiet: { [requests(200)]: rising(99), [requests(500)]: rising(1), [requests(404)]: rising(50) },
  },
  PhishwatchSlow: {
    firing: { [bucket("0.5")]: rising(90), [bucket("2.5")]: rising(100), [bucket("+Inf")]: rising(100) },
    quiet: { [bucket("0.5")]: rising(100), [bucket("2.5")]: rising(100), [bucket("+Inf")]: rising(100) },
  },
  PhishwatchManyFailedSignIns: {
    firing: { [of("phishwatch_console_failed_sign_ins_total")]: rising(10) },
    quiet: { [of("phishwatch_console_failed_sign_ins_total")]: rising(1) },
  },
  PhishwatchFileDescriptors: {
    firing: { [of("process_open_fds")]: always(900), [of("process_max_fds")]: always(1024) },
    quiet: { [of("process_open_fds")]: always(100), [of("process_max_fds")]: always(1024) },
  },
  PhishwatchReloadFailed: plain("phishwatch_reload_last_success", 0, 1),
};

/** Labels that the expression keeps. */
const aggregated: readonly AlertName[] = [
  "PhishwatchRecipientFailing",
  "PhishwatchRequestsFailing",
  "PhishwatchSlow",
];

test("every alert has a severity, a description with what to do, and a link to an existing heading of the manual", () => {
  for (const [name, alert] of Object.entries(alerts)) {
    expect(["critical", "warning"]).toContain(alert.severity);
    expect(name).toMatch(/^Phishwatch[A-Z]/);
    expect(alert.description).toMatch(/^[A-Z].{20,}\.$/i);
    const [topic, heading = ""] = alert.page.split(".md#");
    const ids = [...(findManualPage(topic!)?.text ?? "").matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
      text!
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(ids).toContain(heading);
  }
});

test("alerts and panels name only metrics and labels that exist", () => {
  const all = Object.values<Metric>(metrics);
  const namesOf = ({ name, type }: Metric) =>
    type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name];
  const labelsOf = new Map(all.flatMap((metric) => namesOf(metric).map((name) => [name, metric.labels])));
  const queries = [
    ...Object.values(alerts).map(({ expr }) => expr),
    ...rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
  ];
  for (const expr of queries) {
    const named = [...expr.matchAll(/\b((?:phishwatch|process)_\w+)(?:\{(.*?)\})?/g)];
    const known = ["job", "instance", "le", ...named.flatMap(([, name]) => labelsOf.get(name!) ?? [])];
    const groups = [...expr.matchAll(/\b(?:by|on) \((.*?)\)/g)].flatMap(([, labels]) => labels!.split(", "));
    const matched = named.flatMap(([, , matchers = ""]) =>
      [...matchers.matchAll(/(\w+)=/g)].map(([, label]) => label!),
    );
    for (const [, name] of named) expect([expr, labelsOf.has(name!)]).toEqual([expr, true]);
    expect([expr, [...groups, ...matched].filter((label) => !known.includes(label))]).toEqual([expr, []]);
  }
  expect(rows.flatMap(({ panels }) => panels.map(({ kind }) => kind))).not.toContainEqual(
    expect.not.stringMatching(/^(stat|timeseries|table)$/),
  );
  expect(queries.length).toBeGreaterThan(60);
});

/** A day of series for every alert. promtool uses all processors, which other tests share. */
const promtoolTimeoutMs = 120_000;

describe.skipIf(promtool === undefined)("promtool", () => {
  test("accepts the rules with and without an address", async () => {
    for (const [file, options] of [
      ["paths.yml", {}],
      ["urls.yml", { baseUrl: "https://phishwatch.example" }],
    ] as const) {
      writeFileSync(join(folder, file), renderAlerts(options));
      expect(await run("check", "rules", file)).toContain(`${Object.keys(alerts).length} rules found`);
    }
    expect(renderAlerts({ baseUrl: "https://phishwatch.example" })).toContain(
      'runbook_url: "https://phishwatch.example/docs/troubleshooting#',
    );
  });

  test(
    "every alert fires when it should, not before its time, and stays quiet when all is well",
    async () => {
      // The texts are checked by a real server; here, they would only repeat the templates.
      const rules = Bun.YAML.parse(renderAlerts()) as { groups: { rules: { annotations?: unknown }[] }[] };
      for (const { rules: all } of rules.groups) for (const rule of all) delete rule.annotations;
      writeFileSync(join(folder, "rules.yml"), Bun.YAML.stringify(rules));
      // Two worlds with the series of all alerts: one in which every alert fires, and one in which none does.
      const tests = [worldOf("firing"), worldOf("quiet")];
      writeFileSync(
        join(folder, "tests.yml"),
        Bun.YAML.stringify({ rule_files: ["rules.yml"], evaluation_interval: "1m", tests }),
      );
      expect(await run("test", "rules", "tests.yml")).toContain("SUCCESS");
    },
    promtoolTimeoutMs,
  );
});

function worldOf(kind: "firing" | "quiet") {
  const all = Object.entries(cases) as [AlertName, AlertCase][];
  const checks = all.flatMap(([alertname, { atMinute = 60 }]) => {
    const { forMinutes } = alerts[alertname] as Alert;
    const at = (minute: number, exp_alerts: object[]) => ({ eval_time: `${minute}m`, alertname, exp_alerts });
    const expected = at(atMinute, kind === "firing" ? [expectedOf(alertname)] : []);
    return forMinutes > 1 ? [at(forMinutes - 1, []), expected] : [expected];
  });
  const series = all.flatMap(([, one]) => Object.entries(one[kind]));
  expect(new Set(series.map(([name]) => name)).size).toBe(series.length);
  return {
    interval: "1m",
    input_series: series.map(([name, values]) => ({ series: name, values })),
    alert_rule_test: checks,
  };
}

function expectedOf(alertname: AlertName) {
  const { severity } = alerts[alertname] as Alert;
  const own = aggregated.includes(alertname) ? { instance: "a" } : { job: "phishwatch", instance: "a" };
  return { exp_labels: { ...own, ...cases[alertname].labels, severity } };
}

async function run(...args: string[]): Promise<string> {
  const child = Bun.spawn([...promtool!, ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return texts.join("");
}
