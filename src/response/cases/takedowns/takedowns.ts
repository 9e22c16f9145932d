import type { Actor } from "../../../access/audit/actor.ts";
import type { AuditAction } from "../../../access/audit/actions.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../../platform/lib/errors.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import { createTakedownLists } from "./lists.ts";
import { goneStates, newReference, threatsPerReportMax, upStates } from "./report.ts";
import {
  type NewReport,
  type ReportDetails,
  validReport,
  validResponse,
  validTicket,
} from "./report-input.ts";
import { toReport, type ReportRow } from "./rows.ts";
import { createTakedownStore, takedownsOf, type TakedownStore } from "./store.ts";

/** Reports to those who can take a site down, and what became of them. */
export type Takedowns = ReturnType<typeof createTakedowns>;

interface By {
  by: Actor;
}

interface Dependencies extends Needs<"auditLog" | "clock" | "database"> {
  /** Called after an email was queued. */
  onQueued: () => void;
}

/** Content of files beyond this is deleted, oldest reports first. */
const filesBytesMax = 256 << 20;
const openEmails = ["queued", "sending"];

export function createTakedowns({
  auditLog,
  clock,
  database,
  fillRandom,
  onQueued,
}: Dependencies & { fillRandom: FillRandom }) {
  const store = createTakedownStore(database);

  function find(seq: number): ReportRow {
    const row = store.report.get({ seq });
    if (row === undefined) throw notFound("There is no report with this number.");
    return row;
  }

  return {
    ...createTakedownLists({ clock, database, store }),
    /** Returns a reference for a form, such as PW-4F7K2Q9D. */
    newReference: () => newReference(fillRandom),
    /**
     * Records a report, and queues it if its method is email. A second call with the same reference changes nothing.
     * @throws PublicError `bad_request` or `not_found`, with what to change
     */
    add: (given: NewReport, { by }: By) =>
      database.transaction(() => {
        const known = store.reportByReference.get({ reference: given.reference });
        if (known !== undefined) return { report: toReport(known), isNew: false };
        const input = validReport(given);
        const seq = insertReport(store, input, { by, now: clock.now() });
        auditLog.record(by, "takedown.report", input.reference, {
          recipient: input.recipient.name,
          method: input.method,
          threats: input.threats.map(({ id }) => id),
        });
        if (input.method === "email") database.afterCommit(onQueued);
        return { report: toReport(find(seq)), isNew: true };
      }),
    /** Returns the report with a reference; undefined if there is none. */
    byReference(reference: string) {
      const known = store.reportByReference.get({ reference });
      return known === undefined ? undefined : toReport(known);
    },
    /** @throws PublicError `not_found` */
    get(seq: number): ReportDetails {
      const report = find(seq);
      return {
        report: toReport(report),
        takedowns: takedownsOf(store, seq),
        responses: store.responses
          .all({ reportSeq: seq })
          .map(({ at, text, channel, actorName, actorAddress }) => ({
            at,
            text,
            by: { channel, name: actorName, address: actorAddress },
          })),
        files: store.files
          .all({ reportSeq: seq })
          .map(({ isKept, ...file }) => ({ ...file, isKept: isKept === 1 })),
        after: store.reportsAfter.all({ previousSeq: seq }).map(toReport),
        previous: report.previousSeq === null ? null : toReport(find(report.previousSeq)),
      };
    },
    /** Returns a file of a report; undefined: there is none, or its content is no longer kept. */
    file(seq: number, position: number) {
      const file = store.files.all({ reportSeq: seq }).find((one) => one.position === position);
      const content = store.fileContent.get({ reportSeq: seq, position })?.content;
      if (file === undefined || content === null || content === undefined) return undefined;
      return { name: file.name, mediaType: file.mediaType, content };
    },
    ...createChanges({ auditLog, clock, database, find, onQueued, store }),
  };
}

/** Returns what changes a report on record. */
function createChanges({
  auditLog,
  clock,
  database,
  find,
  onQueued,
  store,
}: Dependencies & { find: (seq: number) => ReportRow; store: TakedownStore }) {
  /** Runs a change of a report with its audit entry. */
  function change(seq: number, action: AuditAction, by: Actor, work: (report: ReportRow) => void): void {
    database.transaction(() => {
      const report = find(seq);
      work(report);
      auditLog.record(by, action, report.reference, { recipient: report.recipientName });
    });
  }

  return {
    /**
     * Records a response that a person pasted in. An empty ticket leaves the one on record.
     * @throws PublicError `bad_request`: empty, too long or too many; `not_found`
     */
    addResponse: (
      seq: number,
      { text: given, ticket: givenTicket }: { text: string; ticket: string },
      { by }: By,
    ) =>
      change(seq, "takedown.response", by, () => {
        const text = validResponse(given, store.responses.all({ reportSeq: seq }).length);
        const ticket = validTicket(givenTicket);
        addResponse(store, { seq, text, by, at: clock.now() });
        if (ticket !== null) store.setTicket.run({ seq, ticket });
      }),
    /** Records that an email came back. @throws PublicError */
    markBounced: (seq: number, given: string, { by }: By) =>
      change(seq, "takedown.bounced", by, (report) => {
        if (report.delivery === null || openEmails.includes(report.delivery))
          throw badRequest("Only an email that was sent can bounce.");
        const text = validResponse(given, store.responses.all({ reportSeq: seq }).length);
        addResponse(store, { seq, text, by, at: clock.now() });
        store.setDelivery.run({ ...report, delivery: "bounced", deliveryResponse: null, attemptAt: null });
      }),
    /** Queues an email again whose delivery failed or was interrupted. @throws PublicError */
    sendAgain: (seq: number, { by }: By) =>
      change(seq, "takedown.send_again", by, (report) => {
        if (report.delivery !== "failed" && report.delivery !== "interrupted")
          throw badRequest("Only an email whose delivery failed or was interrupted can be sent again.");
        if (store.files.all({ reportSeq: seq }).some(({ attached, isKept }) => attached && isKept === 0))
          throw badRequest("The attachments of this report are no longer kept. Write a new report.");
        store.setDelivery.run({
          ...report,
          delivery: "queued",
          deliveryResponse: null,
          attempts: 0,
          attemptAt: clock.now(),
        });
        database.afterCommit(onQueued);
      }),
    /** Moves the follow-up. @throws PublicError */
    postpone: (seq: number, followUpAt: Instant, { by }: By) =>
      change(seq, "takedown.postpone", by, () => store.setFollowUp.run({ seq, followUpAt })),
    /** Stops waiting for the sites of a report. @throws PublicError */
    close: (seq: number, { by }: By) =>
      change(seq, "takedown.close", by, (report) => {
        const closed = store.closeTakedowns.all({ reportSeq: seq, closedAt: clock.now() });
        if (closed.length === 0) throw badRequest("Nothing is open: each site is down or was closed.");
        // An email that has not left yet is not sent any more.
        if (report.delivery === "queued")
          store.setDelivery.run({
            ...report,
            delivery: "failed",
            deliveryResponse: "closed before it was sent",
            attemptAt: null,
          });
      }),
  };
}

function addResponse(
  store: TakedownStore,
  { seq, text, by, at }: { seq: number; text: string; by: Actor; at: Instant },
): void {
  const { channel, name: actorName, address: actorAddress } = by;
  store.insertResponse.run({ reportSeq: seq, at, text, channel, actorName, actorAddress });
}

/** Inserts a report with its threats and files, and returns its number. */
function insertReport(
  store: TakedownStore,
  report: NewReport,
  { by, now }: { by: Actor; now: Instant },
): number {
  const { recipient, followUpAfterMs, previousSeq, threats: covered } = report;
  if (covered.length === 0 || covered.length > threatsPerReportMax)
    throw badRequest(`A report covers 1 to ${threatsPerReportMax} threats; ${covered.length} were chosen.`);
  const isEmail = report.method === "email";
  const { seq } = store.insertReport.get({
    ...report,
    recipientKind: recipient.kind,
    recipientName: recipient.name,
    recipientEmail: recipient.email ?? null,
    recipientFormUrl: recipient.formUrl ?? null,
    recipientSource: recipient.source,
    language: "en",
    createdAt: now,
    channel: by.channel,
    actorName: by.name,
    actorAddress: by.address,
    delivery: isEmail ? "queued" : null,
    attemptAt: isEmail ? now : null,
    followUpAt: now + followUpAfterMs,
  })!;
  if (previousSeq !== null) store.setFollowUp.run({ seq: previousSeq, followUpAt: null });
  for (const one of covered) store.cover.run({ reportSeq: seq, takedownSeq: takedownFor(store, one, now) });
  freeRoom(
    store,
    report.files.reduce((sum, { content }) => sum + content.length, 0),
  );
  for (const [position, { content, ...file }] of report.files.entries())
    store.insertFile.run({
      ...file,
      reportSeq: seq,
      position,
      bytes: content.length,
      content: Buffer.from(content),
    });
  return seq;
}

/** Returns the open takedown of a threat, or begins one. */
function takedownFor(store: TakedownStore, threat: NewReport["threats"][number], now: Instant): number {
  const found = store.threatById.get({ id: threat.id });
  if (found === undefined) throw notFound("One of the threats was deleted. Open the form again.");
  const open = store.openTakedown.get({ threatSeq: found.seq });
  if (open !== undefined) return open.seq;
  const isGone = goneStates.includes(found.siteState);
  return store.insertTakedown.get({
    threatSeq: found.seq,
    domain: found.domain,
    protectedDomain: threat.protectedDomain,
    registrar: found.registrar,
    hoster: threat.hoster,
    reportedAt: now,
    countedFrom: upStates.includes(found.siteState) ? now : null,
    downAt: isGone ? now : null,
    downState: isGone ? found.siteState : null,
  })!.seq;
}

/** Deletes the content of the oldest files until there is room for more. */
function freeRoom(store: TakedownStore, bytes: number): void {
  let kept = store.keptBytes.get()!.total;
  while (kept + bytes > filesBytesMax) {
    const oldest = store.oldestKept.get();
    if (oldest === undefined) return;
    store.dropFiles.run({ reportSeq: oldest.reportSeq });
    kept -= oldest.bytes;
  }
}
