import type { Needs } from "../../access/audit/needs.ts";
import type { Archive } from "../../engines/archive/archive.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import type { IdFactory } from "../../platform/lib/ids.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { SourceActivity } from "../../intake/sources/activity/source-activity.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { createFront, type RespondToVisitor } from "./front.ts";
import type { TrapKind } from "./kind.ts";
import { createVisitRecorder, type RecorderSettings } from "./recorder.ts";
import { createTrapStore } from "./trap-store.ts";
import type { NewTrap, Trap, TrapLinks } from "./trap.ts";
import { createTrapsOfKind, type TrapDependencies, type TrapsOfKind } from "./traps-of-kind.ts";
import { createIntake, type IntakeTotals } from "./visits/intake.ts";
import { createNetworkLimit } from "./visits/network-limit.ts";
import { createVisitStore, type VisitStore } from "./visits/store.ts";

/** Read when they are needed, because they can change. */
export interface TrapSettings extends RecorderSettings {
  /** Maximum number of visits of one client network in a minute that are recorded. */
  hitsPerMinute: number;
}

/** Addresses that report their visitors: they reveal that a page was copied, or that there is an intruder. */
export interface Traps {
  readonly kinds: readonly TrapKind[];
  /** The traps of one kind. */
  of<Input extends NewTrap, Details>(kind: TrapKind<Input, Details>): TrapsOfKind<Input, Details>;
  readonly visits: Pick<VisitStore, "list" | "countRows" | "get" | "totals" | "timeline" | "ofThreat">;
  /** Base URL of the addresses of traps, without trailing slash. */
  publicUrl(): string;
  /** The URLs of a trap. */
  links<Input extends NewTrap, Details>(kind: TrapKind<Input, Details>, trap: Trap<Details>): TrapLinks;
  /** Responds to a visitor, and records the visit. */
  respond: RespondToVisitor;
  /** Number of visits since the start, by outcome. */
  totals(): IntakeTotals;
  /** Writes the visits that are waiting, now. */
  flush(): Promise<void>;
  start(): void;
  /** Writes the visits that are waiting. */
  stop(): Promise<void>;
}

const deletionPattern = "41 * * * *";

export function createTraps({
  activity,
  archive,
  auditLog,
  clock,
  database,
  domains,
  fillRandom,
  ids,
  kinds,
  log,
  outbox,
  yielder,
  publicUrl,
  retention,
  settings,
  threats,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "log" | "yielder"> & {
  activity: Pick<SourceActivity, "add">;
  archive: Pick<Archive, "add">;
  domains: Pick<ProtectedDomains, "find" | "matcher">;
  ids: Pick<IdFactory, "nextWithPrefix">;
  kinds: readonly TrapKind[];
  outbox: Pick<Outbox, "record">;
  publicUrl: () => string;
  retention: { hitsMs: number };
  settings: TrapSettings;
  threats: Pick<Threats, "record">;
}): Traps {
  const store = createTrapStore(database);
  const visits = createVisitStore(database);
  const shared: TrapDependencies = {
    auditLog,
    clock,
    database,
    domains,
    fillRandom,
    ids,
    store,
    visits,
  };
  const classifying = { activity, archive, domains, outbox, threats };
  const write = createVisitRecorder({ ...classifying, clock, kinds, log, settings, store, visits });
  const limit = createNetworkLimit(settings);
  const intake = createIntake({ clock, database, limit, log, yielder: yielder(), write });
  let schedule: Schedule | undefined;

  async function deleteOldVisits(): Promise<void> {
    try {
      const before = clock.now() - retention.hitsMs;
      for (;;) {
        if (schedule === undefined || visits.deleteOld(before) === 0) return;
        await new Promise<void>((resolve) => void setImmediate(resolve));
      }
    } catch (error) {
      logDropped(log, error, "trap.old_visits_not_deleted");
    }
  }

  return {
    kinds,
    of: (kind) => createTrapsOfKind(kind, shared),
    visits,
    publicUrl,
    links(kind, trap) {
      const urlOf = (address: string) => `${publicUrl()}/${kind.pathSegment}/${address}`;
      return { url: urlOf(trap.address) + kind.suffix(trap), oldUrls: trap.oldAddresses.map(urlOf) };
    },
    respond: createFront({
      clock,
      kinds,
      findLive: (kind, address) => store.findLive(kind.name, address, clock.now()),
      offer: intake.offer,
    }),
    totals: intake.totals,
    flush: intake.flush,
    start: () => void (schedule = every({ clock, pattern: deletionPattern, run: deleteOldVisits })),
    async stop() {
      schedule?.stop();
      schedule = undefined;
      await intake.close();
    },
  };
}
