/** Carries out large decisions in a worker thread: a transaction with a thousand changes takes 100 to 300 ms. */
import type { MessagePort } from "node:worker_threads";
import { createAuditLog } from "../../../access/audit/audit-log.ts";
import type { CaseSettings } from "../../../platform/config/config.ts";
import { openThreadConnection, type Database } from "../../../platform/database/database.ts";
import { sqliteErrorCode } from "../../../platform/database/files/errors.ts";
import { createOutbox } from "../../events/outbox.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { createIdFactory } from "../../../platform/lib/ids.ts";
import { yieldToOtherThreads } from "../../../platform/service/thread-priority.ts";
import { createThreatQueries } from "../store/queries.ts";
import { createThreatAudit } from "./audit.ts";
import { createStatusChanger } from "./change-status.ts";
import type { DecisionReply, DecisionTask } from "./decisions.ts";
import { createHistory } from "./history.ts";
import { createTriage, type Triage } from "./triage.ts";

/** Carries out one decision for each message. The message `close` closes the connection. */
export function serveDecisions(port: MessagePort, clock: Clock): void {
  yieldToOtherThreads("write");
  let database: Database | undefined;
  let triage: Triage | undefined;
  /** A reload changes them. */
  const cases = {} as CaseSettings;

  function carryOut({ path, name, args }: DecisionTask): DecisionReply {
    try {
      database ??= openThreadConnection(path);
      triage ??= openTriage(database, clock, cases);
      const decide = triage[name] as (...values: unknown[]) => unknown;
      return { result: decide(...args) };
    } catch (error) {
      return { error: messageOf(error), code: sqliteErrorCode(error) };
    }
  }

  port.on("message", (task: DecisionTask | "close") => {
    if (task === "close") {
      database?.close();
      return port.postMessage({ result: undefined });
    }
    Object.assign(cases, task.cases);
    port.postMessage(carryOut(task));
  });
}

function openTriage(database: Database, clock: Clock, cases: CaseSettings): Triage {
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const outbox = createOutbox({ database, clock, ids: createIdFactory(clock.now, fillRandom) });
  const auditLog = createAuditLog({ database, clock });
  const recordDecision = createThreatAudit({ auditLog, get: createThreatQueries(database).get });
  const history = createHistory({ database, clock });
  const statusChanger = createStatusChanger({ cases, database, clock, history, outbox });
  return createTriage({ database, clock, auditLog, recordDecision, statusChanger });
}
