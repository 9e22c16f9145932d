import type { HostPort } from "../../platform/config/fields/texts.ts";
import { fromIsoTime, type Clock } from "../../platform/lib/clock.ts";
import { newestState } from "./standby-folder.ts";
import { readStatus, reportOf, type StandbyReport } from "./status.ts";

const requestBytesMax = 1_024;

/** The status of a standby over HTTP, for monitors. Contains nothing secret. */
export interface StandbyStatusServer {
  url: string;
  stop(): Promise<void>;
}

/** Serves `/readyz`, which has status 200 if the standby follows and has a backup, and `/metrics`. */
export function openStandbyStatus({
  standby,
  listen: { host, port },
  clock,
}: {
  standby: string;
  listen: HostPort;
  clock: Pick<Clock, "now">;
}): StandbyStatusServer {
  const report = async () => reportOf(await newestState(standby), await readStatus(standby), clock.now());
  const server = Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: requestBytesMax,
    routes: {
      "/readyz": {
        async GET() {
          const current = await report();
          return Response.json(current, { status: current.condition === "following" ? 200 : 503 });
        },
      },
      "/metrics": {
        async GET() {
          const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
          return new Response(metricsText(await report()), { headers });
        },
      },
    },
    fetch: () => new Response("Not found\n", { status: 404 }),
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}

/** In the text format of Prometheus. */
function metricsText({ condition, changesUntil, checkedAt }: StandbyReport): string {
  const seconds = (time: string | null) => (fromIsoTime(time ?? "") ?? 0) / 1_000;
  const metrics: [name: string, help: string, value: number][] = [
    [
      "following",
      "Whether the standby follows and has a complete backup.",
      condition === "following" ? 1 : 0,
    ],
    [
      "changes_until_timestamp_seconds",
      "Time up to which the standby has all changes; 0 without a backup.",
      seconds(changesUntil),
    ],
    ["last_check_timestamp_seconds", "Time of the last check for newer backups.", seconds(checkedAt)],
  ];
  return metrics
    .map(([name, help, value]) => {
      const full = `phishwatch_standby_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${full} ${value}\n`;
    })
    .join("");
}
