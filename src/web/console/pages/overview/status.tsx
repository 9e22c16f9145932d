import type { ComponentChildren } from "preact";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { feedKind } from "../../../../intake/sources/source.ts";
import { certstreamKind } from "../../../../intake/sources/certstream/certstream-feed.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { CertificateLogStatus, LogState } from "../../../../intake/sources/certificate-logs/status.ts";
import type { Context } from "../../shell/router.ts";
import { Icon } from "../../kit/inline.tsx";
import { Time } from "../../kit/components.tsx";
import { usePage } from "../../kit/page-context.ts";
import { notificationsPath, scansPath, sourcesPath, systemPath, webhooksPath } from "../../kit/paths.ts";
import {
  queuedCountedMax,
  type ConcernSources,
  conditionConcerns,
  growthConcerns,
  reloadConcerns,
  recipientConcern,
  sourceConcern,
  type RecipientConcerns,
  type SourceConcerns,
} from "./attention.ts";

/** Services that show whether everything works. */
export type StatusServices = Context<
  | "archive"
  | "auditLog"
  | "backups"
  | "certificateLogs"
  | "conditions"
  | "databaseStatus"
  | "deliveries"
  | "keys"
  | "lastReload"
  | "readiness"
  | "scans"
  | "sources"
  | "storeGrowth"
  | "untrustedProxy"
>["services"];

/** Reads what the concerns and the status line are derived from, once for both. */
export async function readStatus(services: StatusServices, now: Instant) {
  const { auditLog, backups, certificateLogs, deliveries, scans } = services;
  const recipients = deliveries.recipients.listAll().map((recipient) => ({
    ...recipient,
    noun: deliveries.nounOf(recipient.channel),
    queued: () => deliveries.log.queued(recipient.id, queuedCountedMax),
  }));
  const sources = services.sources.map((source) => ({
    kind: source.kind,
    pausedAt: source.pausing?.current()?.at ?? null,
    ...source.status(),
  }));
  const lastScan = scans.latestOutcome();
  const database = services.databaseStatus();
  const certificates = await services.conditions.certificateEnds();
  const others = [
    ...reloadConcerns(services.lastReload()),
    ...conditionConcerns({ backups, certificates, database, now }),
    ...growthConcerns(services.storeGrowth.latest().growth, database.disk?.freeBytes),
  ];
  return {
    given: {
      now,
      readiness: services.readiness(),
      untrustedProxy: services.untrustedProxy(),
      database,
      recipients,
      sources,
      keys: services.keys.list(),
      lastScan,
      resolverProblem: scans.resolverHealth.latest()?.problem ?? null,
      archiveProblem: services.archive.status().problem,
      others,
    } satisfies ConcernSources,
    status: {
      lastScan,
      isScanning: scans.running() !== undefined,
      /** Undefined if no certificate logs are followed. */
      logs: certificateLogs?.logs(),
      feeds: sources.filter(({ kind }) => kind === feedKind || kind === certstreamKind),
      recipients,
      /** When a backup was last made with phishwatch; undefined: none on record. */
      backupAt: auditLog.list({ action: "backup.make" }, { limit: 1, offset: 0 })[0]?.at,
      /** Why the latest backup failed; null if it did not. */
      backupError: backups.status().failure?.error ?? backups.copies.latest()?.error ?? null,
      /** Whether a scheduled backup is missing. */
      isBackupOverdue: backups.status().overdueSince !== null,
    },
  };
}

/** Everything that the status line is derived from. */
type Status = Awaited<ReturnType<typeof readStatus>>["status"];

interface Item {
  /** `off`: it needs attention; `none`: nothing is known or set up. */
  state: "ok" | "off" | "none";
  label: string;
  value: ComponentChildren;
  path: string;
}

const icons = { ok: "ok", off: "warn", none: "not" } as const;

/** One line that says whether everything works: each part with its state and a link. */
export function StatusLine({ status, children }: { status: Status; children?: ComponentChildren }) {
  const { now } = usePage();
  return (
    <section aria-label="System status">
      <ul class="well">
        {children}
        {itemsOf(status, now).map(({ state, label, value, path }) => (
          <li class={state === "ok" ? undefined : state}>
            <Icon name={icons[state]} />
            <a href={path}>
              {label} <b>{value}</b>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function itemsOf(status: Status, now: Instant): Item[] {
  const { logs, feeds } = status;
  return [
    scanItem(status),
    ...(logs === undefined ? [] : [logsItem(logs)]),
    ...(feeds.length === 0 ? [] : [feedsItem(feeds, now)]),
    deliveriesItem(status.recipients, now),
    backupItem(status),
  ];
}

function scanItem({ lastScan, isScanning }: Status): Item {
  const item = { label: "Last scan", path: scansPath };
  if (isScanning) return { state: "ok", label: "Scan", value: "running", path: scansPath };
  if (lastScan === undefined) return { ...item, state: "none", value: "none yet" };
  if (lastScan.status === "failed") return { ...item, state: "off", value: "failed" };
  return { ...item, state: "ok", value: <Time at={lastScan.startedAt} relative="today" /> };
}

function logsItem(logs: readonly Pick<CertificateLogStatus, "state">[]): Item {
  const item = { label: "Certificate logs", path: sourcesPath };
  const count = (...states: LogState[]) => logs.filter(({ state }) => states.includes(state)).length;
  const failing = count("failing", "mismatch");
  if (failing > 0) return { ...item, state: "off", value: `${failing} of ${logs.length} failing` };
  const paused = count("paused");
  if (paused > 0) return { ...item, state: "off", value: "paused" };
  const following = count("following", "complete");
  return following === 0
    ? { ...item, state: "none", value: "nothing read yet" }
    : { ...item, state: "ok", value: `${following} of ${logs.length} followed` };
}

function feedsItem(feeds: readonly SourceConcerns[], now: Instant): Item {
  const item = { label: "Feeds", path: sourcesPath };
  const affected = feeds.filter((feed) => sourceConcern(feed, now) !== undefined);
  if (affected.length > 0) {
    const state = affected.every(({ pausedAt }) => pausedAt !== null)
      ? "paused"
      : affected.every(({ problem }) => problem !== null)
        ? "failing"
        : "silent";
    return { ...item, state: "off", value: `${affected.length} of ${feeds.length} ${state}` };
  }
  const read = feeds.flatMap(({ lastReadAt, latest }) => lastReadAt ?? latest?.at ?? []);
  if (read.length === 0) return { ...item, state: "none", value: "nothing read yet" };
  return { ...item, state: "ok", value: <Time at={Math.max(...read)} relative /> };
}

function deliveriesItem(recipients: readonly RecipientConcerns[], now: Instant): Item {
  const failing = recipients.filter((recipient) => recipientConcern(recipient, now) !== undefined);
  const item = { label: "Deliveries" };
  if (failing.length > 0) {
    const value = `${failing.length} of ${counted(recipients.length, "recipient")} failing`;
    const isEndpoint = failing.every(({ channel }) => channel === "webhook");
    return { ...item, state: "off", value, path: isEndpoint ? webhooksPath : notificationsPath };
  }
  const enabled = recipients.filter((recipient) => recipient.enabled).length;
  return enabled === 0
    ? { ...item, state: "none", value: "nobody is notified", path: notificationsPath }
    : { ...item, state: "ok", value: `${grouped(enabled)} without failures`, path: notificationsPath };
}

function backupItem({ backupAt, backupError, isBackupOverdue }: Status): Item {
  const item = { label: "Backup", path: systemPath };
  if (backupError !== null) return { ...item, state: "off", value: "failed" };
  if (isBackupOverdue) return { ...item, state: "off", value: "overdue" };
  if (backupAt === undefined) return { ...item, state: "none", value: "none on record" };
  return { ...item, state: "ok", value: <Time at={backupAt} relative="today" /> };
}
