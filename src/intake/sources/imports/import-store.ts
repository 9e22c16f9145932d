import { and, asc, desc, eq, gte, lte } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { listImports, type ListImport } from "./tables.ts";

/** Number of imports on record; older ones are deleted. */
const importsKept = 500;

export interface ImportStore {
  begin(
    list: Pick<ListImport, "name" | "channel" | "source" | "format" | "column" | "bytesTotal" | "startedAt"> &
      Partial<Pick<ListImport, "process">>,
  ): ListImport;
  save(seq: number, values: Partial<ListImport>): void;
  running(): ListImport[];
  get(seq: number): ListImport | undefined;
  /** Returns imports of a channel that ended at this time or later, oldest first. */
  endedSince(channel: ListImport["channel"], at: Instant): ListImport[];
  /** Returns imports, newest first. */
  list(limit: number, offset: number): ListImport[];
}

export function createImportStore(database: Database): ImportStore {
  const { query } = database;
  return {
    begin: (list) =>
      database.transaction(() => {
        const begun = query
          .insert(listImports)
          .values({ ...list, state: "running", firstInvalid: [] })
          .returning()
          .get();
        query
          .delete(listImports)
          .where(lte(listImports.seq, begun.seq - importsKept))
          .run();
        return begun;
      }),
    save: (seq, values) => void query.update(listImports).set(values).where(eq(listImports.seq, seq)).run(),
    running: () => query.select().from(listImports).where(eq(listImports.state, "running")).all(),
    get: (seq) => query.select().from(listImports).where(eq(listImports.seq, seq)).get(),
    endedSince: (channel, at) =>
      query
        .select()
        .from(listImports)
        .where(and(eq(listImports.channel, channel), gte(listImports.completedAt, at)))
        .orderBy(asc(listImports.seq))
        .all(),
    list: (limit, offset) =>
      query.select().from(listImports).orderBy(desc(listImports.seq)).limit(limit).offset(offset).all(),
  };
}
