import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Clock, fromIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { newestState, type StandbyState } from "./standby-folder.ts";
import type { HostPort } from "../../platform/config/fields/texts.ts";
import { replaceFile } from "../../platform/lib/disk.ts";

const statusName = "status.json";
const time = Type.String({ maxLength: 40 });

const statusSchema = Type.Object({
  /** Time at which the store was last asked for newer backups, ISO, UTC. */
  checkedAt: time,
  /** How often it is asked. */
  pollMs: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** Why the last check failed; null if it did not. */
  error: Type.Union([Type.Null(), Type.String({ maxLength: 2_000 })]),
});
/** Outcome of the last check, as the process that follows wrote it. */
export type StandbyStatus = Static<typeof statusSchema>;

/** Checks that may be missed before the standby counts as stopped: a large backup takes longer than one. */
const missedMax = 10;

/** Content and condition of a standby. */
export interface StandbyReport {
  /** `following`, or why a promotion would lose more than it has to. */
  condition: "following" | "empty" | "failing" | "stopped";
  /** Newest complete state; null: none. */
  backup: string | null;
  /** Version of phishwatch that made the backup. */
  version: string | null;
  /** Time up to which the state has all changes, ISO. */
  changesUntil: string | null;
  /** Age of the state: what would be lost now, in seconds. */
  lagSeconds: number | null;
  checkedAt: string | null;
  error: string | null;
}

/** Writes the status, all or nothing. */
export async function writeStatus(standby: string, status: StandbyStatus): Promise<void> {
  await mkdir(standby, { recursive: true, mode: 0o700 });
  replaceFile(join(standby, statusName), JSON.stringify(status), { durable: false });
}

/** Returns undefined if there is none. */
export async function readStatus(standby: string): Promise<StandbyStatus | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(standby, statusName), "utf8"));
    return Value.Check(statusSchema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param now of this machine, whose clock may differ from the clock of the primary */
export function reportOf(
  state: StandbyState | undefined,
  status: StandbyStatus | undefined,
  now: Instant,
): StandbyReport {
  const { manifest } = state ?? {};
  const checkedAt = status === undefined ? undefined : fromIsoTime(status.checkedAt);
  const isCurrent =
    status !== undefined && checkedAt !== undefined && now - checkedAt <= missedMax * status.pollMs;
  const beganAt = manifest === undefined ? undefined : fromIsoTime(manifest.beganAt);
  return {
    condition: !isCurrent
      ? "stopped"
      : status.error !== null
        ? "failing"
        : state === undefined
          ? "empty"
          : "following",
    backup: manifest?.id ?? null,
    version: manifest?.version ?? null,
    changesUntil: manifest?.beganAt ?? null,
    lagSeconds: beganAt === undefined ? null : Math.max(0, Math.round((now - beganAt) / 1_000)),
    checkedAt: status?.checkedAt ?? null,
    error: status?.error ?? null,
  };
}

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
  const seconds = (iso: string | null) => (fromIsoTime(iso ?? "") ?? 0) / 1_000;
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
