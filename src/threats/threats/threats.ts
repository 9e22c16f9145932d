import type { Needs } from "../../access/audit/needs.ts";
import type { CaseSettings, DetectionSettings } from "../../platform/config/config.ts";
import type { Outbox } from "../events/outbox.ts";
import type { StartWorker } from "../../platform/vocabulary/threads.ts";
import type { Status } from "../../platform/vocabulary/threats.ts";
import { detailResponseText, listItemText } from "./api-object.ts";
import { createAssessor } from "./assessment.ts";
import { createRecorder, type RecordedThreat, type Sighting } from "./record.ts";
import { createDetailCache, type DetailCache } from "./store/detail-cache.ts";
import { createListCache, type ListCache } from "./store/list-cache.ts";
import type { PageOfList } from "./store/list-query.ts";
import { createOriginStore, type Origins } from "./store/origins.ts";
import {
  createThreatQueries,
  type ListedThreat,
  type NamedThreat,
  type Threat,
  type ThreatDetail,
  type ThreatFilter,
} from "./store/queries.ts";
import { createThreatAudit } from "./triage/audit.ts";
import { createStatusChanger } from "./triage/change-status.ts";
import { createDecisions, type Decisions } from "./triage/decisions.ts";
import { createHistory, type DatedChange } from "./triage/history.ts";
import { createNotes, type Notes } from "./triage/notes.ts";
import { createTriage, type StatusChange, type StatusChangeOptions, type Triage } from "./triage/triage.ts";
import { createFactsUpdater, type UpdateFacts } from "./update-facts.ts";

/** The lifecycle of threats: record, update, triage, read. */
export interface Threats {
  /** Records look-alikes, with their events, in one transaction. */
  record(sightings: readonly Sighting[]): RecordedThreat[];
  /** Returns one page, newest `firstSeen` first and ties by id, descending; `total` is exact. */
  list(filter: ThreatFilter, page: PageOfList): { threats: ListedThreat[]; total: number };
  /**
   * Returns the page as the API shows it; faster than `list` for pages near the start. Must not be called in a
   * transaction that has changed a threat.
   */
  listTexts: ListCache;
  get(id: string): Threat | undefined;
  /** Returns the threats to a protected domain that have one of these names; all in A-label form. */
  named(protectedDomain: string, names: readonly string[]): NamedThreat[];
  /** Returns the fields that the API shows; faster than `get`. */
  detail(id: string): ThreatDetail | undefined;
  /**
   * Returns the response of the API; faster than `detail` for threats that were read before. Must not be called in a
   * transaction that has changed a threat.
   */
  detailResponse: DetailCache;
  /**
   * Changes the status of threats, with their events, in one transaction: the last writer wins. Returns one outcome
   * for each distinct id, in the order of first appearance.
   */
  changeStatus(ids: readonly string[], status: Status, options: StatusChangeOptions): StatusChange[];
  /** Decisions in the console, and the undo of all decisions. */
  readonly triage: Triage;
  /** Changes by `changeStatus` and `triage`, for requests. */
  readonly decisions: Decisions;
  /** Writes facts about a threat, updates its severity and records the changes. */
  updateFacts: UpdateFacts;
  /** Returns the changes of a threat, newest first: the latest 200 facts and 200 decisions. */
  history(id: string): DatedChange[];
  readonly notes: Notes;
  /** Returns the certificates and addresses in which sources saw the name of a threat. */
  origins(id: string): Origins;
  /** Returns where to open the page of a threat: its newest URL (HTTP or HTTPS), else its name; undefined: no such threat. */
  addressToOpen(id: string): string | undefined;
  /** Returns the number of threats by status and severity. */
  totals(): { status: Status; severity: string; total: number }[];
}

export interface ThreatsDependencies extends Needs<
  "auditLog" | "clock" | "database" | "fillRandom" | "ids" | "log"
> {
  outbox: Outbox;
  detection: Pick<DetectionSettings, "reactivate">;
  cases: CaseSettings;
  /** See `createDecisions`. */
  startWorker?: StartWorker | undefined;
}

export function createThreats({
  database,
  clock,
  ids,
  log,
  outbox,
  fillRandom,
  auditLog,
  detection,
  cases,
  startWorker,
}: ThreatsDependencies): Threats {
  const queries = createThreatQueries(database);
  const recordDecision = createThreatAudit({ auditLog, get: queries.get });
  const history = createHistory({ database, clock });
  const shared = { cases, database, clock, history, outbox };
  const statusChanger = createStatusChanger(shared);
  const assess = createAssessor(shared);
  const updateFacts = createFactsUpdater({ assess, clock, database });
  const origins = createOriginStore(database);
  const record = createRecorder({ ...shared, assess, ids, fillRandom, origins, detection, statusChanger });
  const triage = createTriage({ database, clock, auditLog, recordDecision, statusChanger });
  return {
    record: (sightings) => database.transaction(() => sightings.map(record)),
    list: queries.list,
    listTexts: createListCache({ database, query: queries, render: listItemText }),
    get: queries.get,
    named: queries.named,
    detail: queries.detail,
    detailResponse: createDetailCache({ database, read: queries.detail, render: detailResponseText }),
    changeStatus: triage.changeStatus,
    triage,
    decisions: createDecisions({ cases, database, log, outbox, startWorker, triage }),
    updateFacts: (...args) => database.transaction(() => updateFacts(...args)),
    history: history.list,
    origins: origins.list,
    addressToOpen: origins.addressToOpen,
    notes: createNotes({ database, clock, recordDecision }),
    totals: queries.totals,
  };
}
