import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { createIdFactory, type IdFactory } from "../../platform/lib/ids.ts";
import type { SeededRandom } from "../world/random.ts";
import { addDeliveries } from "./deliveries.ts";
import { writeChanges, type Draft, type StoredThreat } from "./draft.ts";
import { addPeople } from "./people.ts";
import { addSources } from "./sources.ts";
import { addThreatHistory } from "./threats.ts";
import { addTraps } from "./traps.ts";

/**
 * Writes what a team and its systems did with the sample threats: checks, decisions, scans, imports, visits, events,
 * deliveries and messages. Must run in the transaction that stores the threats.
 */
export function writeHistory({
  database,
  domainSeqs,
  random,
  start,
  threats,
}: {
  database: Database;
  domainSeqs: ReadonlyMap<string, number>;
  random: SeededRandom;
  start: Instant;
  threats: readonly StoredThreat[];
}): void {
  let now = start;
  const ids = createIdFactory(() => now, random.fillRandom);
  const draft: Draft = {
    database,
    domainSeqs,
    random,
    start,
    threats,
    events: [],
    changes: [],
    afterEvents: [],
    idAt(at: Instant): IdFactory {
      now = at;
      return ids;
    },
  };
  addPeople(draft);
  addThreatHistory(draft);
  addSources(draft);
  addTraps(draft);
  addDeliveries(draft);
  writeChanges(draft);
}
