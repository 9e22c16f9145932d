import type { ApiKey } from "../../../access/keys/keys.ts";
import type { Readiness } from "../../../api/site/health.ts";
import type { Endpoint } from "../../../channels/webhook/endpoint.ts";
import type { Instant } from "../../../lib/clock.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted } from "../../../lib/wording.ts";
import type { Scan } from "../../../scans/tables.ts";
import type { Source, SourceStatus } from "../../../sources/source.ts";
import { relativeTime } from "../../kit/components.tsx";
import { feedsPath, keysPath, scansPath, systemPath, webhookPath } from "../../kit/paths.ts";

/** A problem that needs attention, with the page where it can be solved. */
export interface Concern {
  tone: "bad" | "warn";
  text: string;
  path: string;
}

export const keyExpiresSoonMs = 14 * 86_400_000;
/** How long an expired key is reported: its users will ask about it. */
const keyExpiredMs = 7 * 86_400_000;
/** How long a source may be silent before it is reported, if its rhythm is not known; most deliver daily. */
export const feedSilentMs = 7 * 86_400_000;
const textMax = 160;

/** Fields of a source that can raise a concern. */
type SourceConcerns = Pick<SourceStatus, "name" | "problem" | "overdue" | "latest" | "lastReadAt">;

/** Lists what is broken or about to break, most severe first. */
export function concernsOf({
  now,
  readiness,
  endpoints,
  sources,
  keys,
  lastScan,
}: {
  now: Instant;
  readiness: Readiness;
  endpoints: readonly Pick<
    Endpoint,
    "id" | "name" | "enabled" | "disabledReason" | "disabledAt" | "consecutiveFailures" | "failingSince"
  >[];
  sources: readonly (Pick<Source, "kind"> & SourceConcerns)[];
  keys: readonly Pick<ApiKey, "name" | "expiresAt" | "revokedAt">[];
  lastScan: Pick<Scan, "status" | "error" | "startedAt"> | undefined;
}): Concern[] {
  const concerns: Concern[] = [];
  const add = (tone: Concern["tone"], path: string, text: string) => void concerns.push({ tone, path, text });
  const ago = (at: Instant) => relativeTime(at, now);
  const shown = (text: string) => visible(text, textMax);

  for (const [what, state] of Object.entries(readiness.checks)) {
    if (state !== "ok") add("bad", systemPath, `Not ready: ${what} ${shown(state)}`);
  }
  for (const endpoint of endpoints) {
    const {
      id,
      name,
      enabled,
      disabledReason,
      disabledAt,
      consecutiveFailures: failures,
      failingSince,
    } = endpoint;
    if (!enabled && disabledReason === "failing") {
      const since = disabledAt === null ? "" : ` ${ago(disabledAt)}`;
      add(
        "bad",
        webhookPath(id),
        `Webhook endpoint ${shown(name)} was disabled${since}: all its deliveries failed`,
      );
    } else if (enabled && failures > 0 && failingSince !== null) {
      add(
        "bad",
        webhookPath(id),
        `Webhook endpoint ${shown(name)} is failing: ${counted(failures, "consecutive failure")}, the first ${ago(failingSince)}`,
      );
    }
  }
  for (const { kind, name, problem, overdue, latest, lastReadAt } of sources) {
    const source = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} ${shown(name)}`;
    const last = lastReadAt ?? latest?.at;
    const isSilent = lastReadAt !== null && now - lastReadAt > feedSilentMs;
    if (problem !== null) add("bad", feedsPath, `${source}: ${shown(problem)}`);
    else if (last !== undefined && (overdue !== null || isSilent))
      add("warn", feedsPath, `${source} last received new names ${ago(last)}`);
  }
  if (lastScan?.status === "failed") {
    const why = lastScan.error === null ? "" : `: ${shown(lastScan.error)}`;
    add("warn", scansPath, `The last scan, started ${ago(lastScan.startedAt)}, failed${why}`);
  }
  for (const { name, expiresAt, revokedAt } of keys) {
    if (revokedAt !== null || expiresAt === null) continue;
    if (expiresAt <= now && expiresAt > now - keyExpiredMs)
      add("warn", keysPath, `API key ${shown(name)} expired ${ago(expiresAt)}`);
    else if (expiresAt > now && expiresAt <= now + keyExpiresSoonMs)
      add("warn", keysPath, `API key ${shown(name)} expires ${ago(expiresAt)}`);
  }
  return concerns;
}
