import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock } from "../lib/clock.ts";
import type { FillRandom, IdFactory } from "../lib/ids.ts";
import { lazy } from "../lib/startup.ts";
import { createThreatAudit } from "./audit.ts";
import { createStatusChanger, type StatusChange, type StatusChangeOptions } from "./change-status.ts";
import { createDetailQuery, type ThreatDetail } from "./detail.ts";
import { createHistory, type DatedChange } from "./history.ts";
import { createNeighbors, type FindNeighbors } from "./neighbors.ts";
import { createNotes, type Notes } from "./notes.ts";
import { createThreatQueries, type ListedThreat, type Threat, type ThreatFilter } from "./queries.ts";
import { createRecorder, type RecordedThreat, type Sighting } from "./record.ts";
import { createTriage, type Triage } from "./triage.ts";
import { createFactsUpdater, type FactsUpdated, type UpdateFacts } from "./update-facts.ts";
import type { Status } from "../vocabulary/threats.ts";

/** A threat's life: recorded once, seen again, triaged, read. */
export interface Threats {
  /** Records names that were taken for imitations, with their events, in one transaction. */
  record(sightings: readonly Sighting[]): RecordedThreat[];
  /** One page, newest `firstSeen` first and ties by id, descending; `total` is exact. */
  list(
    filter: ThreatFilter,
    page: { page: number; perPage: number },
  ): { threats: ListedThreat[]; total: number };
  get(id: string): Threat | undefined;
  /** What the API shows of it, faster. */
  detail(id: string): ThreatDetail | undefined;
  /**
   * Moves threats to `status`, with their events, in one transaction: one answer for each distinct id,
   * in the order of first appearance.
   */
  changeStatus(ids: readonly string[], status: Status, options: StatusChangeOptions): StatusChange[];
  /** Decisions on several threats that can be undone. */
  readonly triage: Triage;
  /** Writes what was found out about a threat, judges its severity anew and keeps what changed. */
  updateFacts: UpdateFacts;
  /** What changed and when, newest first; the latest 200 facts and 200 decisions. */
  history(id: string): DatedChange[];
  /** The active threats of its severity before and after it. */
  neighbors: FindNeighbors;
  /** What people wrote about a threat. */
  notes: Notes;
  /** How many threats there are of each status and severity. */
  totals(): { status: Status; severity: string; total: number }[];
}

export interface ThreatsDependencies {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  outbox: Outbox;
  fillRandom: FillRandom;
  auditLog: Pick<AuditLog, "record">;
  /** Whether a resolved threat becomes active again when its domain shows life (`detection.reactivate`). */
  reactivate: boolean;
}

export function createThreats(dependencies: ThreatsDependencies): Threats {
  const { auditLog, database } = dependencies;
  const queries = createThreatQueries(database);
  const recordDecision = createThreatAudit({ auditLog, get: queries.get });
  // Made when first needed: their queries take a tenth of the start to prepare.
  const history = lazy(() => createHistory(dependencies));
  const setStatus = lazy(() => createStatusChanger({ ...dependencies, history: history() }));
  const updateFacts = lazy(() => createFactsUpdater({ ...dependencies, history: history() }));
  const recordOne = lazy(() =>
    createRecorder({ ...dependencies, history: history(), statusChanger: setStatus() }),
  );
  const triage = lazy(() => createTriage({ ...dependencies, recordDecision, statusChanger: setStatus() }));
  const neighbors = lazy(() => createNeighbors(database));
  const notes = lazy(() => createNotes({ ...dependencies, recordDecision }));
  return {
    record: (sightings) => database.transaction(() => sightings.map((sighting) => recordOne()(sighting))),
    list: queries.list,
    get: queries.get,
    detail: createDetailQuery(database),
    changeStatus: (ids, status, options) =>
      database.transaction(() => {
        const changes = [...new Set(ids)].map((id) => setStatus().byId(id, status, options));
        const changed = changes.filter(({ outcome }) => outcome === "updated").length;
        recordDecision({ by: options.by, action: "threat.change_status", ids, changed, detail: { status } });
        return changes;
      }),
    get triage() {
      return triage();
    },
    updateFacts: (...args): FactsUpdated | undefined => database.transaction(() => updateFacts()(...args)),
    history: (id) => history().list(id),
    get neighbors() {
      return neighbors();
    },
    get notes() {
      return notes();
    },
    totals: queries.totals,
  };
}
