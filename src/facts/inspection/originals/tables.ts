import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../../platform/database/columns.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import {
  originalRoles,
  suggestionKinds,
  versionStates,
  type CaptureProblem,
  type PageNames,
  type VersionChange,
} from "../model/original.ts";

/** Pages of the protected domains that are likely to be imitated. */
export const originals = sqliteTable(
  "originals",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    protectedDomainSeq: integer("protected_domain_seq")
      .notNull()
      .references(() => protectedDomains.seq, { onDelete: "cascade" }),
    /** URL. */
    address: text("address").notNull(),
    role: text("role", { enum: originalRoles }).notNull(),
    chosenBy: text("chosen_by", { enum: ["discovery", "person"] }).notNull(),
    /** False: a person removed a page that discovery would add again. */
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    createdAt: instant("created_at").notNull(),
    dueAt: instant("due_at").notNull(),
    /** The last capture that gave a version, or the same one again. */
    capturedAt: instant("captured_at"),
    failures: integer("failures").notNull().default(0),
    failingSince: instant("failing_since"),
    problem: json<CaptureProblem>("problem"),
  },
  (table) => [
    uniqueIndex("originals_address").on(table.protectedDomainSeq, table.address),
    index("originals_due")
      .on(table.dueAt)
      .where(sql`${table.enabled}`),
  ],
);
export type Original = typeof originals.$inferSelect;

/** Looks that an original had. The screenshot is a file. */
export const originalVersions = sqliteTable(
  "original_versions",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    originalSeq: integer("original_seq")
      .notNull()
      .references(() => originals.seq, { onDelete: "cascade" }),
    state: text("state", { enum: versionStates }).notNull(),
    firstSeenAt: instant("first_seen_at").notNull(),
    lastSeenAt: instant("last_seen_at").notNull(),
    /** Number of captures that showed it. */
    sightings: integer("sightings").notNull(),
    /** The accepted version that was accepted last is the present one. Null for others. */
    acceptedAt: instant("accepted_at"),
    fingerprint: json<PageFingerprint>("fingerprint").notNull(),
    names: json<PageNames>("names").notNull(),
    changes: json<VersionChange[]>("changes").notNull(),
    /** Whether it came over HTTPS with a certificate that browsers accept. */
    secure: integer("secure", { mode: "boolean" }).notNull(),
    hasScreenshot: integer("has_screenshot", { mode: "boolean" }).notNull(),
  },
  (table) => [index("original_versions_original").on(table.originalSeq, table.acceptedAt)],
);
export type OriginalVersion = typeof originalVersions.$inferSelect;

export const originalLogos = sqliteTable(
  "original_logos",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    protectedDomainSeq: integer("protected_domain_seq")
      .notNull()
      .references(() => protectedDomains.seq, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** PNG. */
    image: blob("image", { mode: "buffer" }).notNull(),
    /** Hash of the image, hexadecimal. */
    sha256: text("sha256").notNull(),
    /** Perceptual hash of the image, 16 hexadecimal digits; null in rows that are older than this column. */
    hash: text("hash"),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    addedAt: instant("added_at").notNull(),
    addedBy: text("added_by").notNull(),
  },
  (table) => [uniqueIndex("original_logos_image").on(table.protectedDomainSeq, table.sha256)],
);
export type OriginalLogo = typeof originalLogos.$inferSelect;

/** Suggestions that a person dismissed, which are not made again. */
export const dismissedSuggestions = sqliteTable(
  "dismissed_suggestions",
  {
    protectedDomainSeq: integer("protected_domain_seq")
      .notNull()
      .references(() => protectedDomains.seq, { onDelete: "cascade" }),
    kind: text("kind", { enum: suggestionKinds }).notNull(),
    value: text("value").notNull(),
    at: instant("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.protectedDomainSeq, table.kind, table.value] })],
);
