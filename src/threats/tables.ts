import { index, integer, real, sqliteTable, text, uniqueIndex, primaryKey } from "drizzle-orm/sqlite-core";
import { actorChannels } from "../access/audit/actor.ts";
import { instant, json } from "../database/columns.ts";
import { threatTypes } from "../vocabulary/threats.ts";
import { protectedDomains } from "../domains/tables.ts";
import { severities, sources, statuses } from "../vocabulary/threats.ts";
import { type Registration } from "../vocabulary/registration.ts";
import type { SeverityReason } from "./severity-reasons.ts";
import type { SimilarityReason } from "./similarity-reasons.ts";

/**
 * `seq` grows with `id` (see `record.ts`), so that `(first_seen, seq)` is the list's order and each
 * index below, which ends in `seq` by SQLite's own doing, answers one combination of filters in order.
 */
export const threats = sqliteTable(
  "threats",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    protectedDomainSeq: integer("protected_domain_seq")
      .notNull()
      .references(() => protectedDomains.seq),
    /** The suspicious name, A-label form. */
    domain: text("domain").notNull(),
    type: text("type", { enum: threatTypes }).notNull(),
    status: text("status", { enum: statuses }).notNull(),
    severity: text("severity", { enum: severities }).notNull(),
    similarity: real("similarity").notNull(),
    source: text("source", { enum: sources }).notNull(),
    /** Why it is a look-alike. */
    reasons: json<SimilarityReason[]>("reasons").notNull(),
    severityReasons: json<SeverityReason[]>("severity_reasons").notNull(),
    firstSeen: instant("first_seen").notNull(),
    createdAt: instant("created_at").notNull(),
    /** When the status became what it is. */
    statusChangedAt: instant("status_changed_at").notNull(),
    /** When a copy of the protected page was last seen in use there; null: never. */
    cloneSeenAt: instant("clone_seen_at"),
    ipAddress: text("ip_address"),
    registrar: text("registrar"),
    whois: json<Registration>("whois").notNull(),
    /** 128 random bits, base64url: makes the screenshot's address unguessable. */
    screenshotToken: text("screenshot_token").notNull(),
  },
  (table) => [
    uniqueIndex("threats_pair").on(table.protectedDomainSeq, table.domain),
    index("threats_all").on(table.firstSeen),
    index("threats_status").on(table.status, table.firstSeen),
    index("threats_severity").on(table.severity, table.firstSeen),
    index("threats_status_severity").on(table.status, table.severity, table.firstSeen),
    index("threats_domain").on(table.protectedDomainSeq, table.firstSeen),
    index("threats_domain_status").on(table.protectedDomainSeq, table.status, table.firstSeen),
    index("threats_domain_severity").on(table.protectedDomainSeq, table.severity, table.firstSeen),
    index("threats_domain_status_severity").on(
      table.protectedDomainSeq,
      table.status,
      table.severity,
      table.firstSeen,
    ),
  ],
);

/**
 * How many threats there are of each kind, kept by triggers (see the migration): exact totals without
 * counting rows. The row of each pair (status, severity) with domain 0 stands for all domains together.
 */
export const threatCounts = sqliteTable(
  "threat_counts",
  {
    protectedDomainSeq: integer("protected_domain_seq").notNull(),
    status: text("status", { enum: statuses }).notNull(),
    severity: text("severity", { enum: severities }).notNull(),
    total: integer("total").notNull(),
  },
  (table) => [primaryKey({ columns: [table.protectedDomainSeq, table.status, table.severity] })],
);

/** What changed about a threat, and when; see `history.ts` for how many are kept. */
export const threatHistory = sqliteTable(
  "threat_history",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: integer("threat_seq")
      .notNull()
      .references(() => threats.seq, { onDelete: "cascade" }),
    at: instant("at").notNull(),
    field: text("field").notNull(),
    before: text("before"),
    after: text("after"),
    /** Who decided it; null: nobody did, it was found out (or is older than this column). */
    channel: text("via", { enum: actorChannels }),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [index("threat_history_threat").on(table.threatSeq)],
);

/**
 * Which threats were changed or deleted, in order, kept by triggers (see the migration): what is held in
 * memory for the console's list is brought up to date by it, whatever process wrote. The latest 100,000.
 */
export const threatTouches = sqliteTable("threat_touches", {
  // Numbers go on growing without AUTOINCREMENT, for the last one is never deleted; that would cost a write more.
  version: integer("version").primaryKey(),
  threatSeq: integer("threat_seq").notNull(),
});

/** Changes of status that a person made together and can undo; see `triage.ts`. */
export const triageActs = sqliteTable("triage_acts", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  at: instant("at").notNull(),
  status: text("status", { enum: statuses }).notNull(),
  undoneAt: instant("undone_at"),
});

/** The threats of an act, each with what it was before. */
export const triageSteps = sqliteTable(
  "triage_steps",
  {
    actSeq: integer("act_seq")
      .notNull()
      .references(() => triageActs.seq, { onDelete: "cascade" }),
    threatSeq: integer("threat_seq")
      .notNull()
      .references(() => threats.seq, { onDelete: "cascade" }),
    previousStatus: text("previous_status", { enum: statuses }).notNull(),
    /** The threat's `statusChangedAt` since: another one tells that somebody has changed it again. */
    changedAt: instant("changed_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.actSeq, table.threatSeq] }),
    index("triage_steps_threat").on(table.threatSeq),
  ],
);

/** What people wrote about a threat. */
export const threatNotes = sqliteTable(
  "threat_notes",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: integer("threat_seq")
      .notNull()
      .references(() => threats.seq, { onDelete: "cascade" }),
    at: instant("at").notNull(),
    text: text("text").notNull(),
    /** Who wrote it. */
    channel: text("via", { enum: actorChannels }).notNull(),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [index("threat_notes_threat").on(table.threatSeq)],
);
