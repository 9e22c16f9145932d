import { describe, expect, test } from "bun:test";
import {
  collected,
  createIncreasing,
  metrics,
  type Collected,
  type Metric,
} from "../../../src/operations/monitoring/metrics/metrics.ts";
import { chooseFormat, expose } from "../../../src/operations/monitoring/metrics/exposition.ts";
import { createRequestMeter } from "../../../src/operations/monitoring/request-meter.ts";
import { findCommand } from "../../support/programs.ts";

const all = Object.values<Metric>(metrics);

test("every metric is named by the convention of Prometheus, and described in one sentence", () => {
  for (const { name, type, help, labels } of all) {
    expect(name).toMatch(/^(phishwatch|process)_[a-z]+(_[a-z]+)*$/);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    expect([name, name.endsWith("_info")]).toEqual([name, type === "info"]);
    // Units other than base units, and `time` or `at` for a point in time.
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|kb|mb|percent|at)(_|$)/);
    expect(help).toMatch(/^[A-Z0-9].+\.$/);
    expect(["counter", "gauge", "histogram", "info"]).toContain(type);
    for (const label of labels) expect(label).toMatch(/^[a-z]+(_[a-z]+)*$/);
  }
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

const meter = createRequestMeter();
meter.countRequest("/v1/threats", "GET", 200, 0.0004);
meter.countRequest("/v1/threats", "GET", 200, 0.2);
meter.countRequest("/v1/threats", "GET", 401, 9);
meter.countRequest("/v1/threats", "BREW", 200, 1);
const samples: Collected[] = [
  ...collected({ build: [[{ version: "1.2.3", commit: "abc", bun: "1.4.5" }, 1]] }),
  {
    metric: { name: "a_seconds_total", type: "counter", help: 'A "quoted" \\ help.', labels: ["name"] },
    samples: [[{ name: 'x"y\\z\n' }, 2]],
  },
  { metric: { name: "nothing", type: "gauge", help: "Has no sample.", labels: [] }, samples: [] },
  ...collected(meter.collect()),
];

test("the text format 0.0.4 escapes labels, and has cumulative buckets", () => {
  const text = expose(samples, "prometheus");
  expect(text).toContain('# TYPE phishwatch_build_info gauge\nphishwatch_build_info{version="1.2.3",');
  expect(text).toContain('# TYPE a_seconds_total counter\na_seconds_total{name="x\\"y\\\\z\\n"} 2\n');
  const bucket = (le: string) =>
    `phishwatch_http_request_duration_seconds_bucket{route="/v1/threats",le="${le}"}`;
  expect(text).toContain(`${bucket("0.001")} 1\n`);
  expect(text).toContain(`${bucket("0.5")} 2\n`);
  expect(text).toContain(`${bucket("+Inf")} 3\n`);
  expect(text).toContain('phishwatch_http_request_duration_seconds_count{route="/v1/threats"} 3\n');
  expect(text).toContain('phishwatch_http_requests_total{route="/v1/threats",method="GET",status="200"} 2\n');
  expect(text).not.toContain("BREW");
});

test("OpenMetrics names families without suffixes, states units, and ends with EOF", () => {
  const text = expose(samples, "openmetrics");
  expect(text).toContain("# TYPE phishwatch_build info\nphishwatch_build_info{");
  expect(text).toContain(
    '# HELP a_seconds A \\"quoted\\" \\\\ help.\n# TYPE a_seconds counter\n# UNIT a_seconds seconds\na_seconds_total{',
  );
  expect(text).toContain("# TYPE phishwatch_http_requests counter\nphishwatch_http_requests_total{");
  expect(text.endsWith("\n# EOF\n")).toBe(true);
});

const prometheusAccept =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
test.each([
  [null, "prometheus"],
  ["", "prometheus"],
  ["*/*", "prometheus"],
  ["text/plain", "prometheus"],
  ["application/openmetrics-text", "openmetrics"],
  [prometheusAccept, "openmetrics"],
  ["application/openmetrics-text;version=0.0.1", "prometheus"],
  ["application/openmetrics-text;version=1.0.0;q=0.2, text/plain;version=0.0.4;q=0.9", "prometheus"],
  ["application/openmetrics-text;q=nonsense", "prometheus"],
] as const)("a scrape that accepts %p is sent the format %s", (accept, format) => {
  expect(chooseFormat(accept)).toBe(format);
});

test("a stored count that falls because rows were deleted becomes a counter that only increases", () => {
  const increasing = createIncreasing();
  expect([5, 7, 2, 3, 0, 4].map((stored) => increasing("a", stored))).toEqual([5, 7, 7, 8, 8, 12]);
  expect(increasing("b", 1)).toBe(1);
});

const promtool = findCommand("promtool");

describe.skipIf(promtool === undefined)("promtool", () => {
  test("finds nothing wrong with the names, types and help of any metric", async () => {
    const measured = collected(meter.collect());
    const own = new Set<Metric>(measured.map(({ metric }) => metric));
    const others = all.filter((metric) => !own.has(metric));
    const every = others.map((metric): Collected => ({
      metric,
      samples:
        metric.type === "histogram"
          ? []
          : [[Object.fromEntries(metric.labels.map((label) => [label, "x"])), 1]],
    }));
    const { code, output } = await check(expose([...every, ...measured], "prometheus"));
    expect(output).toBe("");
    expect(code).toBe(0);
  });
});

async function check(text: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...promtool!, "check", "metrics"], {
    stdin: new Blob([text]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = `${await new Response(child.stdout).text()}${await new Response(child.stderr).text()}`;
  return { code: await child.exited, output };
}
