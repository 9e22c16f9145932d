import type { Needs } from "../../access/audit/needs.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { Inspection, InspectionStatus } from "./model/inspection.ts";
import type { Inspector } from "./model/inspector.ts";
import type {
  InspectionFilter,
  InspectNowOptions,
  NowOutcome,
  PersonalRequest,
  RequestOptions,
  RequestOutcome,
  RequestProgress,
} from "./model/request.ts";
import { createAdmission } from "./queue/admission.ts";
import { createAttempt } from "./queue/attempt.ts";
import { createBudget } from "./queue/budget.ts";
import { createImmediateInspection } from "./queue/immediate.ts";
import {
  createInspectionList,
  createRequestProgress,
  listedMax,
  createStatus,
  createCleanup,
} from "./queue/list.ts";
import { createPump } from "./queue/pump.ts";
import { createThreatRecorder, type InspectedThreat } from "./queue/record-result.ts";
import { createRunner } from "./queue/runner.ts";
import { createInspectionStore } from "./queue/store.ts";

export type {
  Inspection,
  InspectionFilter,
  InspectionStatus,
  PersonalRequest,
  RequestOptions,
  RequestOutcome,
  RequestProgress,
};

/** Inspects the pages at addresses. Imitations of a protected brand become threats. */
export interface Inspections {
  /**
   * Queues addresses, in a transaction. An address that was inspected within the last hour is not inspected again: its
   * result is returned. One whose host was inspected within the last hour, at another address, waits until the hour is over.
   * With `again`, neither holds.
   * Returns one outcome for each address, in their order.
   */
  request(addresses: readonly string[], options: RequestOptions): Promise<RequestOutcome[]>;
  /** Does the same within the present transaction, for a source that stores its position with the requests. */
  enqueue(addresses: readonly string[], options: RequestOptions): RequestOutcome[];
  /** Inspects an address now, in this process, ahead of the queue, and records the result. For commands. */
  inspectNow(address: string, options: InspectNowOptions): Promise<NowOutcome>;
  /** Returns one page, the newest request first. `total` is counted up to 10,000. */
  list(
    filter: InspectionFilter,
    page: { page: number; perPage: number },
  ): { inspections: Inspection[]; total: number };
  /** Returns the ids of the latest 10,000, the newest request first. */
  ids(filter: InspectionFilter): string[];
  /** Returns how far a request of a person is. */
  progress(request: PersonalRequest): RequestProgress;
  get(id: string): Inspection | undefined;
  /** Returns the latest inspections of a host, newest first. @param host A-label form */
  of(host: string): Inspection[];
  /** Notes the threat that a person recorded because of an inspection. Must run within a transaction. */
  linkThreat(id: string, threatId: string): void;
  status(): InspectionStatus;
  /** Starts what is queued, also by an earlier run. */
  start(): void;
  /** Aborts what is running, which stays queued. */
  stop(): Promise<void>;
  /** Resolves when nothing is running and nothing is due. */
  idle(): Promise<void>;
}

/** Addresses that are queued in one transaction: about 2 ms in which no request is served. */
const addressesPerTransaction = 16;
/** Maximum number of addresses in an audit entry. */
const recordedMax = 5;

export interface InspectionsDependencies extends Needs<"auditLog" | "clock" | "database" | "ids" | "log"> {
  config: Pick<Config, "inspection" | "lookups" | "retention">;
  domains: Pick<ProtectedDomains, "find" | "list" | "matcher">;
  inspector: Pick<Inspector, "inspect">;
  lookUpExistence: LookUpExistence;
  onConfigChange: (listener: () => void) => void;
  /** Saves facts about threats, so that they are not determined twice. */
  saveFacts: (found: readonly InspectedThreat[]) => Promise<void>;
  threats: Pick<Threats, "named" | "record">;
}

export function createInspections(dependencies: InspectionsDependencies): Inspections {
  const { auditLog, clock, config, database, domains, ids, inspector, log } = dependencies;
  const store = createInspectionStore(database);
  const { record, recordStored } = createThreatRecorder({ ...dependencies, linkThreat: store.linkThreat });
  const admission = createAdmission({ clock, config, domains, ids, log, recordStored, store });
  const attempt = createAttempt({ clock, inspector, lookUpExistence: dependencies.lookUpExistence });
  const budget = createBudget(clock.monotonicMs);
  const { finish, run } = createRunner({
    ...dependencies,
    attempt,
    browser: () => config.inspection.browser,
    budget,
    recordThreats: record,
    store,
  });
  const pump = createPump({ budget, clock, config, database, log, run, store });
  const cleanup = createCleanup({ clock, config, database, log, store });
  const listIds = createInspectionList(database);
  const { status, forget } = createStatus({ budget, clock, config, running: pump.running, store });

  function enqueue(addresses: readonly string[], options: RequestOptions): RequestOutcome[] {
    const outcomes = admission.enqueue(addresses, options);
    const queued = outcomes.filter(({ outcome }) => outcome === "queued").map(({ address }) => address);
    if (queued.length === 0) return outcomes;
    if (options.requestedBy !== undefined)
      auditLog.record(options.requestedBy, "inspection.request", queued[0]!, {
        count: queued.length,
        addresses: queued.slice(0, recordedMax),
      });
    database.afterCommit(pump.wake);
    if (options.priority === "person") database.afterCommit(forget);
    return outcomes;
  }

  dependencies.onConfigChange(pump.wake);
  return {
    async request(addresses, options) {
      const outcomes: RequestOutcome[] = [];
      for (let from = 0; from < addresses.length; from += addressesPerTransaction) {
        const part = addresses.slice(from, from + addressesPerTransaction);
        outcomes.push(...(await database.write(() => enqueue(part, options))));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return outcomes;
    },
    enqueue,
    inspectNow: createImmediateInspection({ admission, attempt, clock, database, finish, ids, store }),
    list(filter, page) {
      const { ids: found, total } = listIds(filter, page);
      return { inspections: found.flatMap((id) => store.get(id) ?? []), total };
    },
    ids: (filter) => listIds(filter, { page: 1, perPage: listedMax }).ids,
    progress: createRequestProgress(database),
    get: store.get,
    of: store.ofHost,
    linkThreat: store.linkThreat,
    status,
    start() {
      pump.start();
      cleanup.start();
    },
    async stop() {
      await Promise.all([pump.stop(), cleanup.stop()]);
    },
    idle: pump.idle,
  };
}
