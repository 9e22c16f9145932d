import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

/** A running Prometheus. */
export interface Prometheus {
  /** Returns the result of a query, at most one series for each set of labels. */
  query(expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  /** Returns a response of its API. */
  get<T>(path: string): Promise<T>;
  /** Returns alerts that fire. */
  firing(): Promise<{ labels: Record<string, string>; annotations: Record<string, string> }[]>;
  stop(): Promise<void>;
}

/**
 * Starts a Prometheus that scrapes targets every half second, and waits until it responds.
 * @param options.targets URLs of servers, by the value of the label `instance`
 * @param options.rules alert rules as YAML
 */
export async function startPrometheus({
  command,
  targets,
  rules,
}: {
  command: readonly string[];
  targets: Readonly<Record<string, string>>;
  rules: string;
}): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const port = freePort();
  const scrapeConfig = (scheme: string) => {
    const own = Object.entries(targets).filter(([, url]) => new URL(url).protocol === `${scheme}:`);
    return {
      job_name: `phishwatch-${scheme}`,
      scheme,
      tls_config: { insecure_skip_verify: true },
      static_configs: own.map(([instance, url]) => ({
        targets: [new URL(url).host],
        labels: { job: "phishwatch", instance },
      })),
    };
  };
  writeFileSync(join(folder, "rules.yml"), rules);
  writeFileSync(
    join(folder, "prometheus.yml"),
    Bun.YAML.stringify({
      global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" },
      rule_files: ["rules.yml"],
      scrape_configs: [scrapeConfig("http"), scrapeConfig("https")],
    }),
  );
  const child = Bun.spawn(
    [
      ...command,
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdout: "ignore", stderr: "pipe" },
  );
  const log = new Response(child.stderr).text();
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = (await response.json()) as { status: string; error?: string; data: T };
    if (body.status !== "success") throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(await log);
    const response = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
    return response?.ok === true;
  };
  await until(isReady, "Prometheus is ready", 20_000);
  return {
    get,
    query: async (expr) =>
      (
        await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
          `/api/v1/query?query=${encodeURIComponent(expr)}`,
        )
      ).result,
    async firing() {
      interface Listed {
        state: string;
        labels: Record<string, string>;
        annotations: Record<string, string>;
      }
      const { alerts } = await get<{ alerts: Listed[] }>("/api/v1/alerts");
      return alerts.filter(({ state }) => state === "firing");
    },
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}
