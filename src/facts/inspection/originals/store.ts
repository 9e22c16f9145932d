import { and, asc, desc, eq, getTableColumns, inArray, lte, notExists, or, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import {
  dismissedSuggestions,
  originalLogos,
  originals,
  originalVersions,
  type Original,
  type OriginalLogo,
  type OriginalVersion,
} from "./tables.ts";

/** An original with the protected domain that it belongs to. */
export interface OwnedOriginal extends Original {
  domain: string;
  allow: string[];
}

/** State of an original page, without its versions. */
export type OriginalSummary = Pick<
  Original,
  "address" | "role" | "createdAt" | "capturedAt" | "failingSince" | "problem"
> & { domain: string };

type NewOriginal = Omit<Original, "seq" | "capturedAt" | "failures" | "failingSince" | "problem">;

export type OriginalStore = ReturnType<typeof createOriginalStore>;

/** The statements on original pages, their versions, logos and dismissed suggestions. None of them is frequent. */
export function createOriginalStore(database: Database) {
  return { ...pageStatements(database), ...versionStatements(database), ...logoStatements(database) };
}

const roleOrder = sql`case ${originals.role} when 'home' then 0 when 'sign_in' then 1 when 'payment' then 2 else 3 end`;

function pageStatements({ query }: Database) {
  const { address, capturedAt, createdAt, dueAt, enabled, failingSince, problem, role, seq } = originals;
  const { allow, domain, id } = protectedDomains;
  const isEnabled = and(eq(enabled, true), eq(protectedDomains.enabled, true));
  const belongsTo = eq(protectedDomains.seq, originals.protectedDomainSeq);
  const owned = () =>
    query
      .select({ ...getTableColumns(originals), domain, allow })
      .from(originals)
      .innerJoin(protectedDomains, belongsTo);
  return {
    /** Returns the enabled protected domains that have no home page on record. */
    domainsWithoutHome(): { seq: number; domain: string }[] {
      const homes = query
        .select({ seq })
        .from(originals)
        .where(and(belongsTo, eq(role, "home")));
      return query
        .select({ seq: protectedDomains.seq, domain })
        .from(protectedDomains)
        .where(and(eq(protectedDomains.enabled, true), notExists(homes)))
        .orderBy(asc(protectedDomains.seq))
        .all();
    },

    /** Returns the originals of a domain in the order of their roles, removed ones included. */
    list: (protectedDomainSeq: number): Original[] =>
      query
        .select()
        .from(originals)
        .where(eq(originals.protectedDomainSeq, protectedDomainSeq))
        .orderBy(roleOrder, asc(seq))
        .all(),

    /** Returns the enabled originals of a protected domain, given its id or its name. */
    listOf: (name: string): Original[] =>
      owned()
        .where(and(eq(enabled, true), or(eq(id, name), eq(domain, name))))
        .orderBy(roleOrder, asc(seq))
        .all(),

    find: (original: number): OwnedOriginal | undefined => owned().where(eq(seq, original)).get(),

    /** Returns enabled originals of enabled domains whose capture is due, longest first. */
    due: (now: Instant, countMax: number): OwnedOriginal[] =>
      owned()
        .where(and(isEnabled, lte(dueAt, now)))
        .orderBy(asc(dueAt), asc(seq))
        .limit(countMax)
        .all(),

    /** Returns the enabled originals of enabled domains. */
    summaries: (): OriginalSummary[] =>
      query
        .select({ domain, address, role, createdAt, capturedAt, failingSince, problem })
        .from(originals)
        .innerJoin(protectedDomains, belongsTo)
        .where(isEnabled)
        .orderBy(asc(domain), roleOrder, asc(seq))
        .all(),

    /** Returns enabled originals whose address leads to a name that is not the owner's. */
    leadingElsewhere: (): OwnedOriginal[] =>
      owned()
        .where(and(eq(enabled, true), sql`${problem} ->> '$.code' = 'leads_elsewhere'`))
        .all(),

    insert: (original: NewOriginal): Original => query.insert(originals).values(original).returning().get(),

    update: (original: number, changes: Partial<Omit<Original, "seq" | "protectedDomainSeq">>): void =>
      query.update(originals).set(changes).where(eq(seq, original)).run(),

    delete: (original: number): void => query.delete(originals).where(eq(seq, original)).run(),
  };
}

function versionStatements({ query }: Database) {
  const { acceptedAt, fingerprint, hasScreenshot, lastSeenAt, originalSeq, seq, state } = originalVersions;
  return {
    /** Returns the versions of an original, the present one first, then by the time of their last capture. */
    versions: (original: number): OriginalVersion[] =>
      query
        .select()
        .from(originalVersions)
        .where(eq(originalSeq, original))
        .orderBy(desc(acceptedAt), desc(lastSeenAt), desc(seq))
        .all(),

    /** Returns the seqs of the present version and of earlier accepted ones, newest first. */
    comparedVersions: (original: number, countMax: number): number[] =>
      query
        .select({ seq })
        .from(originalVersions)
        .where(and(eq(originalSeq, original), eq(state, "accepted")))
        .orderBy(desc(acceptedAt), desc(seq))
        .limit(countMax)
        .all()
        .map((row) => row.seq),

    fingerprint: (version: number): PageFingerprint | undefined =>
      query.select({ fingerprint }).from(originalVersions).where(eq(seq, version)).get()?.fingerprint,

    /** Identifies the versions, logos and dismissed keywords that determine what pages are compared with. */
    comparedContent: (): unknown[] => [
      query
        .select({ seq, at: acceptedAt })
        .from(originalVersions)
        .innerJoin(originals, eq(originals.seq, originalSeq))
        .where(and(eq(originals.enabled, true), eq(state, "accepted")))
        .orderBy(asc(seq))
        .all(),
      query.select({ seq: originalLogos.seq }).from(originalLogos).orderBy(asc(originalLogos.seq)).all(),
      query
        .select({ domain: dismissedSuggestions.protectedDomainSeq, value: dismissedSuggestions.value })
        .from(dismissedSuggestions)
        .where(eq(dismissedSuggestions.kind, "keyword"))
        .all(),
    ],

    /** Returns the seqs of the versions that have a screenshot. */
    screenshots(): number[] {
      const rows = query.select({ seq }).from(originalVersions).where(eq(hasScreenshot, true)).all();
      return rows.map((row) => row.seq);
    },

    findVersion: (version: number): OriginalVersion | undefined =>
      query.select().from(originalVersions).where(eq(seq, version)).get(),

    insertVersion: (version: Omit<OriginalVersion, "seq">): OriginalVersion =>
      query.insert(originalVersions).values(version).returning().get(),

    updateVersion: (version: number, changes: Partial<Omit<OriginalVersion, "seq" | "originalSeq">>): void =>
      query.update(originalVersions).set(changes).where(eq(seq, version)).run(),

    deleteVersions: (versions: number[]): void =>
      query.delete(originalVersions).where(inArray(seq, versions)).run(),
  };
}

function logoStatements({ query }: Database) {
  const { protectedDomainSeq, seq } = originalLogos;
  const { kind, value } = dismissedSuggestions;
  return {
    logos: (domain: number): OriginalLogo[] =>
      query.select().from(originalLogos).where(eq(protectedDomainSeq, domain)).orderBy(asc(seq)).all(),

    /** Returns undefined if the domain has the same image already. */
    insertLogo: (logo: Omit<OriginalLogo, "seq">): OriginalLogo | undefined =>
      query.insert(originalLogos).values(logo).onConflictDoNothing().returning().get(),

    deleteLogo: (domain: number, logo: number): OriginalLogo | undefined =>
      query
        .delete(originalLogos)
        .where(and(eq(protectedDomainSeq, domain), eq(seq, logo)))
        .returning()
        .get(),

    /** Returns the dismissed suggestions of a domain as `kind value`. */
    dismissed(domain: number): Set<string> {
      const rows = query
        .select({ kind, value })
        .from(dismissedSuggestions)
        .where(eq(dismissedSuggestions.protectedDomainSeq, domain))
        .all();
      return new Set(rows.map((row) => `${row.kind} ${row.value}`));
    },

    dismiss: (suggestion: typeof dismissedSuggestions.$inferInsert): void =>
      query.insert(dismissedSuggestions).values(suggestion).onConflictDoNothing().run(),
  };
}
