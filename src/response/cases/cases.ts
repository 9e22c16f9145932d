import { eq } from "drizzle-orm";
import { accounts } from "../../access/accounts/tables.ts";
import type { Actor } from "../../access/audit/actor.ts";
import type { Needs } from "../../access/audit/needs.ts";
import type { Database } from "../../platform/database/database.ts";
import { columnsOf, hasValue, opaqueValue, statement, valuesOf } from "../../platform/database/statement.ts";
import { dayMs, optionalIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { changedNow } from "../../threats/threats/store/fields.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import { createThreatAudit } from "../../threats/threats/triage/audit.ts";
import { createHistory, type Change, type History } from "../../threats/threats/triage/history.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import { may, type Role } from "../../platform/vocabulary/permissions.ts";
import type { Status } from "../../platform/vocabulary/threats.ts";

/** Account of a person who works on threats, or did. */
export interface Assignee {
  seq: number;
  name: string;
  isDisabled: boolean;
  /** False: the account is disabled, or its role does not permit to decide. It keeps the threats that it has. */
  isAvailable: boolean;
}

/** Work on a threat: who does it, until when, and what the site does. */
export interface Case {
  threatId: string;
  threatSeq: number;
  status: Status;
  /** Null: not assigned. */
  assignee: Assignee | null;
  /** Null: no due time. A threat that is not active has none. */
  dueAt: Instant | null;
  /** Null: not determined yet. */
  siteState: SiteState | null;
  siteStateAt: Instant | null;
}

/** Result of a change of several threats. */
export interface CaseChange {
  changed: number;
  /** Threats that already had the value. */
  unchanged: number;
  /** Threats that are not active and so have no due time. */
  closed: number;
  /** Ids that no threat has. */
  unknown: number;
}

export type Cases = ReturnType<typeof createCases>;

/** Maximum number of threats in one change. */
export const caseThreatsMax = 1_000;
/** How far ahead a due time may be. */
const dueDaysMax = 3650;

export function createCases({
  auditLog,
  clock,
  database,
  threats: { get },
}: Needs<"auditLog" | "clock" | "database"> & { threats: Pick<Threats, "get"> }) {
  const statements = prepare(database);
  const history = createHistory({ database, clock });
  const recordDecision = createThreatAudit({ auditLog, get });

  const changeEach = createEachChange(statements, history);
  /** Returns all accounts, by name. Threats can be assigned to those that are available. */
  const assignees = () => statements.accounts.all().map(toAssignee);

  function assign(threatIds: readonly string[], accountSeq: number | null, by: Actor): CaseChange {
    const assignee = accountSeq === null ? undefined : assignees().find(({ seq }) => seq === accountSeq);
    if (accountSeq !== null && assignee === undefined) throw badRequest("There is no such account.");
    if (assignee?.isAvailable === false)
      throw badRequest(
        `${assignee.name} cannot be assigned threats: the account is disabled, or its role does not permit decisions.`,
      );
    const name = assignee?.name ?? null;
    const result = changeEach(threatIds, by, ({ seq, assigneeSeq, assigneeName: before }) => {
      if (assigneeSeq === accountSeq) return undefined;
      statements.assign.run({ seq, assigneeSeq: accountSeq, changedAt: clock.now() });
      return { field: "assignee", before, after: name };
    });
    recordDecision({
      by,
      action: "threat.assign",
      ids: threatIds,
      changed: result.changed,
      detail: { assignee: name },
    });
    return result;
  }

  function setDue(threatIds: readonly string[], at: Instant | null, by: Actor): CaseChange {
    const now = clock.now();
    if (at !== null && at <= now) throw badRequest("The due time is in the past; choose a later one.");
    if (at !== null && at > now + dueDaysMax * dayMs)
      throw badRequest(`The due time is more than ${dueDaysMax} days ahead; choose an earlier one.`);
    const result = changeEach(threatIds, by, ({ seq, status, dueAt }) => {
      if (dueAt === at) return undefined;
      if (status !== "active") return "closed";
      statements.setDue.run({ seq, dueAt: at, changedAt: now });
      return { field: "due", before: optionalIsoTime(dueAt), after: optionalIsoTime(at) };
    });
    recordDecision({
      by,
      action: "threat.set_due",
      ids: threatIds,
      changed: result.changed,
      detail: { due: optionalIsoTime(at) },
    });
    return result;
  }

  return {
    /** Returns undefined if there is no such threat. */
    of(threatId: string): Case | undefined {
      const found = statements.find.get({ id: threatId });
      if (found === undefined) return undefined;
      const { seq: threatSeq, assigneeSeq, status, dueAt, siteState, siteStateAt } = found;
      const account = assigneeSeq === null ? undefined : statements.account.get({ seq: assigneeSeq });
      return {
        threatId,
        threatSeq,
        status,
        assignee: account === undefined ? null : toAssignee(account),
        dueAt,
        siteState,
        siteStateAt,
      };
    },
    assignees,
    /**
     * Assigns threats to an account, or removes the assignee with null, in one transaction.
     * @throws PublicError `bad_request`: no such account, one that cannot decide, or more than `caseThreatsMax` threats
     */
    assign: (ids: readonly string[], accountSeq: number | null, { by }: { by: Actor }) =>
      database.transaction(() => assign(ids, accountSeq, by)),
    /**
     * Sets the due time of active threats, or removes it with null, in one transaction.
     * @throws PublicError `bad_request`: a time in the past or too far ahead, or more than `caseThreatsMax` threats
     */
    setDue: (ids: readonly string[], at: Instant | null, { by }: { by: Actor }) =>
      database.transaction(() => setDue(ids, at, by)),
  };
}

/** Returns a function that calls `changeOf` for each threat: it returns what to record, or why nothing changes. */
function createEachChange(statements: Pick<ReturnType<typeof prepare>, "find">, history: History) {
  return (
    threatIds: readonly string[],
    by: Actor,
    changeOf: (found: Found) => Change | "closed" | undefined,
  ): CaseChange => {
    const distinct = new Set(threatIds);
    if (distinct.size > caseThreatsMax)
      throw badRequest(`${distinct.size} threats are given; the maximum is ${caseThreatsMax}.`);
    const result: CaseChange = { changed: 0, unchanged: 0, closed: 0, unknown: 0 };
    for (const id of distinct) {
      const found = statements.find.get({ id });
      const change = found && changeOf(found);
      if (found === undefined) result.unknown += 1;
      else if (change === "closed") result.closed += 1;
      else if (change === undefined) result.unchanged += 1;
      else {
        result.changed += 1;
        history.record(found.seq, [change], by);
      }
    }
    return result;
  };
}

type Found = NonNullable<ReturnType<ReturnType<typeof prepare>["find"]["get"]>>;

function prepare(database: Database) {
  const accountColumns = columnsOf(accounts, "seq name role disabledAt");
  const set = <Column extends "assigneeSeq" | "dueAt">(column: Column) =>
    statement(database, (query) =>
      query
        .update(threats)
        .set({ ...valuesOf(threats, column), ...changedNow })
        .where(hasValue(threats.seq)),
    );
  return {
    find: statement(database, (query) =>
      query
        .select({
          ...columnsOf(threats, "seq status assigneeSeq dueAt siteState siteStateAt"),
          assigneeName: accounts.name,
        })
        .from(threats)
        .leftJoin(accounts, eq(threats.assigneeSeq, accounts.seq))
        .where(eq(threats.id, opaqueValue(threats.id))),
    ),
    account: statement(database, (query) =>
      query.select(accountColumns).from(accounts).where(hasValue(accounts.seq)),
    ),
    accounts: statement(database, (query) =>
      query.select(accountColumns).from(accounts).orderBy(accounts.name),
    ),
    assign: set("assigneeSeq"),
    setDue: set("dueAt"),
  };
}

function toAssignee({
  seq,
  name,
  role,
  disabledAt,
}: {
  seq: number;
  name: string;
  role: Role;
  disabledAt: Instant | null;
}): Assignee {
  const isDisabled = disabledAt !== null;
  return { seq, name, isDisabled, isAvailable: !isDisabled && may(role, "decide") };
}
