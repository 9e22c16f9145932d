import { and, asc, desc, eq, gte, lte } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { listImports, type ListImport } from "./tables.ts";
import { readFileSync, readlinkSync } from "node:fs";
import { codeOf } from "../../../platform/lib/errors.ts";

/** Number of imports on record; older ones are deleted. */
const importsKept = 500;

export type ImportStore = ReturnType<typeof createImportStore>;

export function createImportStore(database: Database) {
  const { query } = database;
  return {
    begin: (
      list: Pick<
        ListImport,
        "name" | "channel" | "source" | "format" | "column" | "bytesTotal" | "startedAt"
      > &
        Partial<Pick<ListImport, "process">>,
    ): ListImport =>
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
    save: (seq: number, values: Partial<ListImport>) =>
      void query.update(listImports).set(values).where(eq(listImports.seq, seq)).run(),
    running: (): ListImport[] =>
      query.select().from(listImports).where(eq(listImports.state, "running")).all(),
    get: (seq: number): ListImport | undefined =>
      query.select().from(listImports).where(eq(listImports.seq, seq)).get(),

    /** Returns imports of a channel that ended at this time or later, oldest first. */
    endedSince: (channel: ListImport["channel"], at: Instant): ListImport[] =>
      query
        .select()
        .from(listImports)
        .where(and(eq(listImports.channel, channel), gte(listImports.completedAt, at)))
        .orderBy(asc(listImports.seq))
        .all(),

    /** Returns imports, newest first. */
    list: (limit: number, offset: number): ListImport[] =>
      query.select().from(listImports).orderBy(desc(listImports.seq)).limit(limit).offset(offset).all(),
  };
}

/**
 * Returns what identifies this process among all of this machine: its id, its start time in clock ticks, and its
 * namespace of process ids. A process id alone is not enough: it is given to another process later, and another
 * container has processes of its own.
 */
export function ownProcess(): string {
  return [process.pid, startOf(process.pid)?.ticks ?? "-", pidNamespace()].join(" ");
}

/** Returns whether a process, as `ownProcess` returned it there, has ended for certain. */
export function hasEnded(identity: string): boolean {
  const [pidText, ticks, namespace] = identity.split(" ");
  const pid = Number(pidText);
  // The processes of another container cannot be seen.
  if (namespace !== pidNamespace() || !Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Other errors mean that the process exists and belongs to another user.
    if (codeOf(error) === "ESRCH") return true;
  }
  // A service may be prevented from reading /proc for the processes of others.
  const found = startOf(pid);
  return found !== undefined && (found.isZombie || (ticks !== "-" && found.ticks !== ticks));
}

/** Returns fields 3 and 22 of /proc/PID/stat (proc_pid_stat(5)); undefined where it cannot be read. */
function startOf(pid: number): { ticks: string; isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { ticks: fields[19]!, isZombie: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "-";
  }
}
