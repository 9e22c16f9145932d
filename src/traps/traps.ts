import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock } from "../lib/clock.ts";
import type { FillRandom, IdFactory } from "../lib/ids.ts";
import { logDropped, type Log } from "../lib/log.ts";
import type { Pacer } from "../lib/pacer.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import type { Threats } from "../threats/threats.ts";
import { createAlarm, type AlarmSettings } from "./alarm.ts";
import { createBeacons, type Beacons } from "./beacons.ts";
import { createNetworkLimit } from "./network-limit.ts";
import type { DocumentText } from "./documents.ts";
import { createFront, type TrapFront } from "./front.ts";
import { createHitStore, type HitStore } from "./hits.ts";
import { createHoneytokens, type Honeytoken, type Honeytokens } from "./honeytokens.ts";
import { createIntake, type IntakeTotals } from "./intake.ts";
import type { DocumentFormat } from "../vocabulary/traps.ts";

export interface TrapSettings extends AlarmSettings {
  hitsPerMinute: number;
  /** `retention.hits`. */
  hitsKeptMs: number;
}

/** Beacons and honeytokens: know that a page was copied, that a bait was taken. */
export interface Traps {
  readonly beacons: Beacons;
  readonly tokens: Honeytokens;
  readonly hits: Pick<HitStore, "list" | "rows" | "get" | "counts" | "timeline" | "ofThreat">;
  readonly front: TrapFront;
  /** How visitors reach `/b` and `/t`; without trailing slash. */
  publicUrl(): string;
  /** A document that asks for the token's address when it is opened. */
  document(token: Honeytoken, format: DocumentFormat, text: DocumentText): Promise<Uint8Array<ArrayBuffer>>;
  totals(): IntakeTotals;
  /** Writes down at once what has come in. */
  flush(): Promise<void>;
  start(): void;
  /** Writes what waits. */
  stop(): Promise<void>;
}

const hourly = "41 * * * *";

export function createTraps({
  auditLog,
  clock,
  database,
  domains,
  fillRandom,
  ids,
  log,
  outbox,
  pacer,
  publicUrl,
  settings,
  threats,
}: {
  auditLog: Pick<AuditLog, "record">;
  clock: Clock;
  database: Database;
  domains: Pick<ProtectedDomains, "find" | "matcher">;
  fillRandom: FillRandom;
  ids: IdFactory;
  log: Log;
  outbox: Outbox;
  pacer: () => Pacer;
  publicUrl: () => string;
  settings: TrapSettings;
  threats: Pick<Threats, "record">;
}): Traps {
  const hits = createHitStore(database);
  const beacons = createBeacons({ database, clock, ids, fillRandom, domains, hits, auditLog });
  const tokens = createHoneytokens({ database, clock, ids, fillRandom, hits, auditLog });
  const write = createAlarm({ beacons, clock, domains, hits, log, outbox, settings, threats, tokens });
  const limit = createNetworkLimit(settings.hitsPerMinute);
  const intake = createIntake({ clock, database, limit, log, pacer: pacer(), write });
  let schedule: Schedule | undefined;

  async function deleteOld(): Promise<void> {
    try {
      const before = clock.now() - settings.hitsKeptMs;
      for (;;) {
        if (schedule === undefined || hits.deleteOld(before) === 0) return;
        await new Promise<void>((resolve) => void setImmediate(resolve));
      }
    } catch (error) {
      logDropped(log, error, "old visits to traps could not be deleted");
    }
  }

  return {
    beacons,
    tokens,
    hits,
    front: createFront({ beacons, clock, intake, tokens }),
    publicUrl,
    async document(token, format, text) {
      const { makeDocument } = await import("./documents.ts");
      return makeDocument(format, tokens.url(token, publicUrl()), text);
    },
    totals: intake.totals,
    flush: intake.flush,
    start: () => void (schedule = every({ clock, pattern: hourly, run: deleteOld })),
    async stop() {
      schedule?.stop();
      schedule = undefined;
      await intake.close();
    },
  };
}
