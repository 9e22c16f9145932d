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
import type { SuggestionKind } from "../model/original.ts";

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
  const owned = () =>
    query
      .select({
        ...getTableColumns(originals),
        domain: protectedDomains.domain,
        allow: protectedDomains.allow,
      })
      .from(originals)
      .innerJoin(protectedDomains, eq(protectedDomains.seq, originals.protectedDomainSeq));
  return {
    /** Returns the enabled protected domains that have no home page on record. */
    domainsWithoutHome: (): { seq: number; domain: string }[] =>
      query
        .select({ seq: protectedDomains.seq, domain: protectedDomains.domain })
        .from(protectedDomains)
        .where(
          and(
            eq(protectedDomains.enabled, true),
            notExists(
              query
                .select({ seq: originals.seq })
                .from(originals)
                .where(
                  and(eq(originals.protectedDomainSeq, protectedDomains.seq), eq(originals.role, "home")),
                ),
            ),
          ),
        )
        .orderBy(asc(protectedDomains.seq))
        .all(),

    /** Returns the originals of a domain in the order of their roles, removed ones included. */
    list: (protectedDomainSeq: number): Original[] =>
      query
        .select()
        .from(originals)
        .where(eq(originals.protectedDomainSeq, protectedDomainSeq))
        .orderBy(roleOrder, asc(originals.seq))
        .all(),

    /** Returns the enabled originals of a protected domain, given its id or its name. */
    listOf: (domain: string): Original[] =>
      owned()
        .where(
          and(
            eq(originals.enabled, true),
            or(eq(protectedDomains.id, domain), eq(protectedDomains.domain, domain)),
          ),
        )
        .orderBy(roleOrder, asc(originals.seq))
        .all(),

    find: (seq: number): OwnedOriginal | undefined => owned().where(eq(originals.seq, seq)).get(),

    /** Returns enabled originals of enabled domains whose capture is due, longest first. */
    due: (now: Instant, countMax: number): OwnedOriginal[] =>
      owned()
        .where(
          and(eq(originals.enabled, true), eq(protectedDomains.enabled, true), lte(originals.dueAt, now)),
        )
        .orderBy(asc(originals.dueAt), asc(originals.seq))
        .limit(countMax)
        .all(),

    /** Returns the enabled originals of enabled domains. */
    summaries: (): OriginalSummary[] =>
      query
        .select({
          domain: protectedDomains.domain,
          address: originals.address,
          role: originals.role,
          createdAt: originals.createdAt,
          capturedAt: originals.capturedAt,
          failingSince: originals.failingSince,
          problem: originals.problem,
        })
        .from(originals)
        .innerJoin(protectedDomains, eq(protectedDomains.seq, originals.protectedDomainSeq))
        .where(and(eq(originals.enabled, true), eq(protectedDomains.enabled, true)))
        .orderBy(asc(protectedDomains.domain), roleOrder, asc(originals.seq))
        .all(),

    /** Returns those whose address leads to a name that is not the owner's. */
    leadingElsewhere: (): OwnedOriginal[] =>
      owned()
        .where(and(eq(originals.enabled, true), sql`${originals.problem} ->> '$.code' = 'leads_elsewhere'`))
        .all(),

    insert: (original: NewOriginal): Original => query.insert(originals).values(original).returning().get(),

    update: (seq: number, changes: Partial<Omit<Original, "seq" | "protectedDomainSeq">>): void =>
      query.update(originals).set(changes).where(eq(originals.seq, seq)).run(),

    delete: (seq: number): void => query.delete(originals).where(eq(originals.seq, seq)).run(),
  };
}

function versionStatements({ query }: Database) {
  return {
    /** Returns the versions of an original, the present one first, then by the time of their last capture. */
    versions: (originalSeq: number): OriginalVersion[] =>
      query
        .select()
        .from(originalVersions)
        .where(eq(originalVersions.originalSeq, originalSeq))
        .orderBy(
          desc(originalVersions.acceptedAt),
          desc(originalVersions.lastSeenAt),
          desc(originalVersions.seq),
        )
        .all(),

    /** Returns the seqs of the present version and of those accepted before it, newest first. */
    comparedVersions: (originalSeq: number, countMax: number): number[] =>
      query
        .select({ seq: originalVersions.seq })
        .from(originalVersions)
        .where(and(eq(originalVersions.originalSeq, originalSeq), eq(originalVersions.state, "accepted")))
        .orderBy(desc(originalVersions.acceptedAt), desc(originalVersions.seq))
        .limit(countMax)
        .all()
        .map(({ seq }) => seq),

    fingerprint: (seq: number): PageFingerprint | undefined =>
      query
        .select({ fingerprint: originalVersions.fingerprint })
        .from(originalVersions)
        .where(eq(originalVersions.seq, seq))
        .get()?.fingerprint,

    /** Identifies the versions, logos and dismissed keywords that determine with what pages are compared. */
    comparedContent: (): unknown[] => [
      query
        .select({ seq: originalVersions.seq, at: originalVersions.acceptedAt })
        .from(originalVersions)
        .innerJoin(originals, eq(originals.seq, originalVersions.originalSeq))
        .where(and(eq(originals.enabled, true), eq(originalVersions.state, "accepted")))
        .orderBy(asc(originalVersions.seq))
        .all(),
      query.select({ seq: originalLogos.seq }).from(originalLogos).orderBy(asc(originalLogos.seq)).all(),
      query
        .select({ domain: dismissedSuggestions.protectedDomainSeq, value: dismissedSuggestions.value })
        .from(dismissedSuggestions)
        .where(eq(dismissedSuggestions.kind, "keyword"))
        .all(),
    ],

    /** Returns the seqs of the versions that have a screenshot. */
    screenshots: (): number[] =>
      query
        .select({ seq: originalVersions.seq })
        .from(originalVersions)
        .where(eq(originalVersions.hasScreenshot, true))
        .all()
        .map(({ seq }) => seq),

    findVersion: (seq: number): OriginalVersion | undefined =>
      query.select().from(originalVersions).where(eq(originalVersions.seq, seq)).get(),

    insertVersion: (version: Omit<OriginalVersion, "seq">): OriginalVersion =>
      query.insert(originalVersions).values(version).returning().get(),

    updateVersion: (seq: number, changes: Partial<Omit<OriginalVersion, "seq" | "originalSeq">>): void =>
      query.update(originalVersions).set(changes).where(eq(originalVersions.seq, seq)).run(),

    deleteVersions: (seqs: readonly number[]): void =>
      query
        .delete(originalVersions)
        .where(inArray(originalVersions.seq, [...seqs]))
        .run(),
  };
}

function logoStatements({ query }: Database) {
  return {
    logos: (protectedDomainSeq: number): OriginalLogo[] =>
      query
        .select()
        .from(originalLogos)
        .where(eq(originalLogos.protectedDomainSeq, protectedDomainSeq))
        .orderBy(asc(originalLogos.seq))
        .all(),

    /** Returns undefined if the domain has the same image already. */
    insertLogo: (logo: Omit<OriginalLogo, "seq">): OriginalLogo | undefined =>
      query.insert(originalLogos).values(logo).onConflictDoNothing().returning().get(),

    deleteLogo: (protectedDomainSeq: number, seq: number): OriginalLogo | undefined =>
      query
        .delete(originalLogos)
        .where(and(eq(originalLogos.protectedDomainSeq, protectedDomainSeq), eq(originalLogos.seq, seq)))
        .returning()
        .get(),

    /** Returns the dismissed suggestions of a domain as `kind value`. */
    dismissed: (protectedDomainSeq: number): Set<string> =>
      new Set(
        query
          .select({ kind: dismissedSuggestions.kind, value: dismissedSuggestions.value })
          .from(dismissedSuggestions)
          .where(eq(dismissedSuggestions.protectedDomainSeq, protectedDomainSeq))
          .all()
          .map((row) => `${row.kind} ${row.value}`),
      ),

    dismiss: (protectedDomainSeq: number, kind: SuggestionKind, value: string, at: Instant): void =>
      query
        .insert(dismissedSuggestions)
        .values({ protectedDomainSeq, kind, value, at })
        .onConflictDoNothing()
        .run(),
  };
}
