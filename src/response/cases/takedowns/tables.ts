import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { actorChannels } from "../../../access/audit/actor.ts";
import { instant, json } from "../../../platform/database/columns.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import { recipientKinds, reportMethods } from "../../../platform/vocabulary/cases.ts";
import { siteStates } from "../../../platform/vocabulary/site.ts";
import type { RecipientSource } from "../recipients/recipient.ts";
import { deliveryStates, reportPurposes } from "./report.ts";

/**
 * The attempts to have the site at one threat taken down: from the first report until the site is down. A site that
 * comes back and is reported again is a further row. Names are copied, so that the figures remain when a threat is
 * deleted or changes its registrar. A trigger on `threats.site_state` sets `countedFrom`, `downAt` and `backAt`, in the
 * transaction that stores the state, whichever process does that.
 */
export const takedowns = sqliteTable(
  "takedowns",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** Null: the threat was deleted. */
    threatSeq: integer("threat_seq").references(() => threats.seq, { onDelete: "set null" }),
    domain: text("domain").notNull(),
    protectedDomain: text("protected_domain").notNull(),
    registrar: text("registrar"),
    hoster: text("hoster"),
    /** First report. */
    reportedAt: instant("reported_at").notNull(),
    /** When the site was both up and reported; null: it has not been up since the report. */
    countedFrom: instant("counted_from"),
    downAt: instant("down_at"),
    downState: text("down_state", { enum: siteStates }),
    /** When it was up again after `downAt`, for the last time. */
    backAt: instant("back_at"),
    /** When a person gave up or found the report unnecessary. */
    closedAt: instant("closed_at"),
  },
  (table) => [
    index("takedowns_threat").on(table.threatSeq),
    index("takedowns_open")
      .on(table.reportedAt)
      .where(sql`${table.downAt} is null and ${table.closedAt} is null`),
    index("takedowns_back")
      .on(table.backAt)
      .where(sql`${table.backAt} is not null`),
  ],
);

export const takedownReports = sqliteTable(
  "takedown_reports",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** In the subject. Chosen with the form, so that a form that is sent twice creates one report. */
    reference: text("reference").notNull().unique(),
    purpose: text("purpose", { enum: reportPurposes }).notNull(),
    /** Report that this one follows up or escalates. */
    previousSeq: integer("previous_seq"),
    recipientKind: text("recipient_kind", { enum: recipientKinds }).notNull(),
    recipientName: text("recipient_name").notNull(),
    /** Null: none is known. */
    recipientEmail: text("recipient_email"),
    recipientFormUrl: text("recipient_form_url"),
    recipientSource: json<RecipientSource>("recipient_source").notNull(),
    method: text("method", { enum: reportMethods }).notNull(),
    /** As sent. */
    subject: text("subject").notNull(),
    body: text("body").notNull(),
    language: text("language").notNull(),
    createdAt: instant("created_at").notNull(),
    channel: text("channel", { enum: actorChannels }).notNull(),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
    /** Number that the recipient gave the report; null: none. */
    ticket: text("ticket"),
    /** Null: not sent by phishwatch. */
    delivery: text("delivery", { enum: deliveryStates }),
    /** Words of the mail server or of the person who recorded a bounce. */
    deliveryResponse: text("delivery_response"),
    attempts: integer("attempts").notNull().default(0),
    /** Next attempt; null: none. */
    attemptAt: instant("attempt_at"),
    sentAt: instant("sent_at"),
    /** Without angle brackets; null: not an email. */
    messageId: text("message_id"),
    /** When to follow up if the site is still up; null: not. */
    followUpAt: instant("follow_up_at"),
  },
  (table) => [
    index("takedown_reports_previous")
      .on(table.previousSeq)
      .where(sql`${table.previousSeq} is not null`),
    index("takedown_reports_queue")
      .on(table.attemptAt)
      .where(sql`${table.attemptAt} is not null`),
    index("takedown_reports_problem")
      .on(table.delivery)
      .where(sql`${table.delivery} in ('sending', 'interrupted', 'bounced', 'failed')`),
    index("takedown_reports_follow_up")
      .on(table.followUpAt)
      .where(sql`${table.followUpAt} is not null`),
  ],
);

/** The threats that a report covers. */
export const takedownReportThreats = sqliteTable(
  "takedown_report_threats",
  {
    reportSeq: integer("report_seq")
      .notNull()
      .references(() => takedownReports.seq, { onDelete: "cascade" }),
    takedownSeq: integer("takedown_seq")
      .notNull()
      .references(() => takedowns.seq, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.reportSeq, table.takedownSeq] }),
    index("takedown_report_threats_takedown").on(table.takedownSeq),
  ],
);

/** Responses of recipients, pasted in by people. */
export const takedownResponses = sqliteTable(
  "takedown_responses",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    reportSeq: integer("report_seq")
      .notNull()
      .references(() => takedownReports.seq, { onDelete: "cascade" }),
    at: instant("at").notNull(),
    text: text("text").notNull(),
    channel: text("channel", { enum: actorChannels }).notNull(),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [index("takedown_responses_report").on(table.reportSeq)],
);

/** Files of a report: what was attached, and the evidence bundle. */
export const takedownFiles = sqliteTable(
  "takedown_files",
  {
    reportSeq: integer("report_seq")
      .notNull()
      .references(() => takedownReports.seq, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    bytes: integer("bytes").notNull(),
    sha256: text("sha256").notNull(),
    /** False: only kept, for a recipient that asks for it. */
    attached: integer("attached", { mode: "boolean" }).notNull(),
    /** Null: deleted to limit the size of all files. */
    content: blob("content", { mode: "buffer" }),
  },
  (table) => [primaryKey({ columns: [table.reportSeq, table.position] })],
);
