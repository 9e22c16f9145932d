import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "../../../access/accounts/tables.ts";
import { actorChannels } from "../../../access/audit/actor.ts";
import { instant, json } from "../../../platform/database/columns.ts";
import { protectedDomains } from "../../domains/tables.ts";
import { type Registration, siteStates } from "../../../platform/vocabulary/site.ts";
import { severities, statuses, threatSources, threatTypes } from "../../../platform/vocabulary/threats.ts";
import type { SeverityReason } from "../severity/severity-reasons.ts";
import type { SimilarityReason } from "../severity/similarity-reasons.ts";

/**
 * `seq` grows with `id` (see `record.ts`), so that `(first_seen, seq)` is the order of the list. Each index ends in
 * `seq`, which SQLite appends, and serves one combination of filters in that order.
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
    source: text("source", { enum: threatSources }).notNull(),
    /** Reasons for the similarity. */
    reasons: json<SimilarityReason[]>("reasons").notNull(),
    severityReasons: json<SeverityReason[]>("severity_reasons").notNull(),
    /** Whether anything but the name is known; see `isVerified`. */
    verified: integer("verified", { mode: "boolean" }).notNull().default(false),
    firstSeen: instant("first_seen").notNull(),
    createdAt: instant("created_at").notNull(),
    statusChangedAt: instant("status_changed_at").notNull(),
    /** When it was first resolved or marked a false positive; null: never, or that decision was undone. */
    decidedAt: instant("decided_at"),
    /** How often it became active again. */
    reactivations: integer("reactivations").notNull().default(0),
    /** When anything that readers see was last changed; see `changedNow` in `fields.ts`. */
    changedAt: instant("changed_at").notNull().default(0),
    /** When a visitor was last shown a copy of the protected page there; null: never. */
    cloneSeenAt: instant("clone_seen_at"),
    ipAddress: text("ip_address"),
    registrar: text("registrar"),
    /** The first of its name servers in alphabetical order; null: none, or not known. */
    nameServer: text("name_server"),
    /** Account of the person who works on it; null: nobody. */
    assigneeSeq: integer("assignee_seq").references(() => accounts.seq, { onDelete: "set null" }),
    /** When the team wants it closed; null: no such time, or closed. */
    dueAt: instant("due_at"),
    /** State of the site, and since when; null: not determined yet. */
    siteState: text("site_state", { enum: siteStates }),
    siteStateAt: instant("site_state_at"),
    /** Number of its campaign, which is the `seq` of the campaign's oldest threat; null: none. */
    campaignSeq: integer("campaign_seq"),
    whois: json<Registration>("whois").notNull(),
    /** `seq` of the import that found it, and of the scan; null: neither, or found before this was recorded. */
    importSeq: integer("import_seq"),
    scanSeq: integer("scan_seq"),
    /** 128 random bits, base64url: makes the screenshot's URL unguessable. */
    screenshotToken: text("screenshot_token").notNull(),
  },
  (table) => [
    uniqueIndex("threats_pair").on(table.protectedDomainSeq, table.domain),
    index("threats_import")
      .on(table.importSeq)
      .where(sql`${table.importSeq} is not null`),
    index("threats_campaign")
      .on(table.campaignSeq)
      .where(sql`${table.campaignSeq} is not null`),
    index("threats_scan")
      .on(table.scanSeq)
      .where(sql`${table.scanSeq} is not null`),
    index("threats_all").on(table.firstSeen),
    index("threats_status").on(table.status, table.firstSeen),
    index("threats_severity").on(table.severity, table.firstSeen),
    index("threats_status_severity").on(table.status, table.severity, table.firstSeen),
    index("threats_domain").on(table.protectedDomainSeq, table.firstSeen),
    index("threats_domain_status").on(table.protectedDomainSeq, table.status, table.firstSeen),
    index("threats_domain_severity").on(table.protectedDomainSeq, table.severity, table.firstSeen),
    index("threats_closed")
      .on(table.status, table.statusChangedAt)
      .where(sql`${table.status} <> 'active'`),
    index("threats_domain_status_severity").on(
      table.protectedDomainSeq,
      table.status,
      table.severity,
      table.firstSeen,
    ),
  ],
);

/**
 * Number of threats by domain, status and severity, updated by triggers (see the migration): exact totals without
 * counting rows. Domain 0 stands for all domains.
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

/**
 * Blocks of the list, from which a page in its middle is found without passing over all threats before it
 * (`list-blocks.ts`). A block holds the threats from its start, in the order of `(first_seen, seq)`, up to the start of
 * the next one. The first block starts before all threats. Triggers keep the totals and divide a block in two when it
 * has more than 8,192 threats (see the migration).
 */
export const threatListBlocks = sqliteTable(
  "threat_list_blocks",
  {
    firstSeen: instant("first_seen").notNull(),
    seq: integer("seq").notNull(),
    total: integer("total").notNull(),
  },
  (table) => [primaryKey({ columns: [table.firstSeen, table.seq] })],
);

/** Number of threats of each block by domain, status and severity. Domain 0 stands for all domains. */
export const threatListBlockCounts = sqliteTable(
  "threat_list_block_counts",
  {
    protectedDomainSeq: integer("protected_domain_seq").notNull(),
    /** Start of the block. */
    firstSeen: instant("first_seen").notNull(),
    seq: integer("seq").notNull(),
    status: text("status", { enum: statuses }).notNull(),
    severity: text("severity", { enum: severities }).notNull(),
    total: integer("total").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.protectedDomainSeq, table.firstSeen, table.seq, table.status, table.severity],
    }),
  ],
);

/** The threat of a row, with which the row is deleted. */
const ofThreat = () =>
  integer("threat_seq")
    .notNull()
    .references(() => threats.seq, { onDelete: "cascade" });

/** Changes of a threat; `history.ts` limits their number. */
export const threatHistory = sqliteTable(
  "threat_history",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: ofThreat(),
    at: instant("at").notNull(),
    field: text("field").notNull(),
    before: text("before"),
    after: text("after"),
    /** Actor that decided; null for a fact that lookups found, and for rows older than this column. */
    channel: text("via", { enum: actorChannels }),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [index("threat_history_threat").on(table.threatSeq)],
);

/**
 * Change log: threats that were changed or deleted, in order, written by triggers (see the migration). The threat
 * index follows it, whichever process writes. Holds the latest 100,000 changes.
 */
export const threatChangeLog = sqliteTable("threat_change_log", {
  // Grows without AUTOINCREMENT, which costs another write, because the last row is never deleted.
  version: integer("version").primaryKey(),
  threatSeq: integer("threat_seq").notNull(),
});

/** Decisions of the last day, which can be undone; see `triage.ts`. */
export const triageBatches = sqliteTable(
  "triage_batches",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    at: instant("at").notNull(),
    status: text("status", { enum: statuses }).notNull(),
    undoneAt: instant("undone_at"),
    /** Actor that undid it; null for rows older than these columns. */
    undoneChannel: text("undone_via", { enum: actorChannels }),
    undoneName: text("undone_name"),
    /** Actor that decided; null for rows older than this column. */
    channel: text("via", { enum: actorChannels }),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [
    index("triage_batches_at").on(table.at),
    index("triage_batches_actor").on(table.channel, table.actorName),
  ],
);

/** Threats of a batch decision, each with the status that it had before. */
export const triageSteps = sqliteTable(
  "triage_steps",
  {
    batchSeq: integer("batch_seq")
      .notNull()
      .references(() => triageBatches.seq, { onDelete: "cascade" }),
    threatSeq: ofThreat(),
    previousStatus: text("previous_status", { enum: statuses }).notNull(),
    /** Due time before the decision; null: none. */
    previousDueAt: instant("previous_due_at"),
    /** The threat's `statusChangedAt` after the decision: a different one means that its status changed again. */
    changedAt: instant("changed_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.batchSeq, table.threatSeq] }),
    index("triage_steps_threat").on(table.threatSeq),
  ],
);

/** Notes of people on a threat. */
export const threatNotes = sqliteTable(
  "threat_notes",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: ofThreat(),
    at: instant("at").notNull(),
    text: text("text").notNull(),
    /** Channel of the author. */
    channel: text("via", { enum: actorChannels }).notNull(),
    actorName: text("actor_name"),
    actorAddress: text("actor_address"),
  },
  (table) => [index("threat_notes_threat").on(table.threatSeq)],
);

/** Certificates in which certificate logs showed the name of a threat; `origins.ts` limits their number. */
export const threatCertificates = sqliteTable(
  "threat_certificates",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: ofThreat(),
    /** Identifies the certificate: issuer and serial, or log and index if these are not known. */
    identity: text("identity").notNull(),
    issuer: text("issuer").notNull(),
    serial: text("serial").notNull(),
    notBefore: instant("not_before"),
    log: text("log").notNull(),
    entryUrl: text("entry_url").notNull(),
    index: integer("entry_index").notNull(),
    isVerified: integer("is_verified", { mode: "boolean" }).notNull(),
    seenAt: instant("seen_at").notNull(),
  },
  (table) => [uniqueIndex("threat_certificates_identity").on(table.threatSeq, table.identity)],
);

/** Addresses under which sources named a threat; `origins.ts` limits their number. */
export const threatUrls = sqliteTable(
  "threat_urls",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    threatSeq: ofThreat(),
    url: text("url").notNull(),
    source: text("source", { enum: threatSources }).notNull(),
    seenAt: instant("seen_at").notNull(),
  },
  (table) => [uniqueIndex("threat_urls_url").on(table.threatSeq, table.url)],
);

/**
 * Names of threats that retention deleted, so that the next list does not record them again. In the order of deletion;
 * `deleted-threats.ts` limits their number.
 */
export const deletedThreats = sqliteTable(
  "deleted_threats",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    protectedDomainSeq: integer("protected_domain_seq")
      .notNull()
      .references(() => protectedDomains.seq, { onDelete: "cascade" }),
    /** A-label form. */
    domain: text("domain").notNull(),
    /** Id of the deleted threat. */
    threatId: text("threat_id").notNull(),
    status: text("status", { enum: statuses }).notNull(),
    /** When the threat got that status. */
    closedAt: instant("closed_at").notNull(),
    deletedAt: instant("deleted_at").notNull(),
  },
  (table) => [uniqueIndex("deleted_threats_pair").on(table.protectedDomainSeq, table.domain)],
);
