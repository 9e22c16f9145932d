import { join } from "node:path";
import type { Actor } from "../../src/access/audit/actor.ts";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { createMemoryArchive } from "../../src/engines/archive/storing/open-archive.ts";
import { createProtectedDomains } from "../../src/threats/domains/domains.ts";
import type { CaseSettings } from "../../src/platform/config/config.ts";
import { events } from "../../src/threats/events/tables.ts";
import { dayMs } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createOutbox } from "../../src/threats/events/outbox.ts";
import { createIdFactory } from "../../src/platform/lib/ids.ts";
import { createSourceActivity } from "../../src/intake/sources/activity/source-activity.ts";
import { createSourcePauses } from "../../src/intake/sources/pauses/source-pauses.ts";
import { createThreats } from "../../src/threats/threats/threats.ts";
import { fillRandom, manualClock, temporaryFolder } from "./appliance.ts";
import { openNewDatabase } from "./new-database.ts";

/** A person who makes decisions. */
export const analyst: Actor = { channel: "console", name: null, address: "192.0.2.9" };

/** The default due times. */
export const caseSettings: CaseSettings = {
  dueMs: { high: dayMs, medium: 3 * dayMs, low: 14 * dayMs },
};

/** Opens threats over a real database file, with two protected domains. */
export function openStores({ reactivate = true } = {}) {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  const clock = manualClock();
  const database = openNewDatabase(path);
  const ids = createIdFactory(clock.now, fillRandom);
  const outbox = createOutbox({ database, clock, ids });
  const log = createLog({ level: "silent", format: "json", clock, write: () => {} });
  const auditLog = createAuditLog({ database, clock });
  const domains = createProtectedDomains({
    database,
    clock,
    ids,
    log,
    auditLog,
    detection: { minSimilarity: 0.75 },
  });
  domains.reconcile([{ domain: "example-bank.com" }, { domain: "example-shop.com" }]);
  const threats = createThreats({
    database,
    clock,
    ids,
    log,
    outbox,
    auditLog,
    fillRandom,
    cases: caseSettings,
    detection: { reactivate },
  });
  const archive = createMemoryArchive({ enabled: true, clock });
  const activity = createSourceActivity({ database, clock, log });
  const pauses = createSourcePauses({ auditLog, database, clock });
  return {
    activity,
    archive,
    log,
    pauses,
    path,
    clock,
    database,
    ids,
    outbox,
    auditLog,
    domains,
    threats,
    /** Bodies of all events, oldest first. */
    events: () =>
      database.query
        .select()
        .from(events)
        .all()
        .map(
          (row) =>
            JSON.parse(row.body) as {
              id: string;
              type: string;
              created_at: string;
              data: Record<string, unknown>;
            },
        ),
    dispose() {
      database.close();
      folder.dispose();
    },
  };
}

export type Stores = ReturnType<typeof openStores>;
