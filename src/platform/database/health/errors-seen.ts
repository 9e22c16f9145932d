import { messageOf } from "../../lib/errors.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Needs } from "../../lib/needs.ts";
import { explain, sqliteErrorCode } from "../files/errors.ts";
import type { SqliteFailure } from "../files/state-file.ts";

/**
 * `damage`: the content of the file cannot be read as a database; only a check of the whole file shows that it is good
 * again. `write`: the file could not be written or opened; a change that succeeds shows that it can be again.
 */
type FailureKind = "damage" | "write";

const rows: readonly { kind: FailureKind; codes: RegExp }[] = [
  { kind: "damage", codes: /^SQLITE_(CORRUPT|NOTADB)/ },
  { kind: "damage", codes: /^SQLITE_IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$/ },
  { kind: "write", codes: /^SQLITE_(IOERR|FULL|READONLY|CANTOPEN|PERM|PROTOCOL)/ },
];

/**
 * Classifies an error that concerns the file or its disk. Undefined for all others: constraints, locks, mistakes in a
 * query.
 */
function failureKindOf(error: unknown): FailureKind | undefined {
  const code = sqliteErrorCode(error) ?? "";
  return rows.find(({ codes }) => codes.test(code))?.kind;
}

/** Whether the content of the file cannot be read as a database. */
export const isDamage = (error: unknown): boolean => failureKindOf(error) === "damage";

/** Remembers the errors of SQLite that concern the file or its disk. */
export type ErrorsSeen = ReturnType<typeof createErrorsSeen>;

/** @param last last error before the start */
export function createErrorsSeen({ clock, log }: Needs<"clock" | "log">, last: SqliteFailure | null) {
  const totals = new Map<string, number>();
  const standing = new Map<FailureKind, SqliteFailure>();
  /** One error passes the observers of the statement and of its transaction. */
  const seen = new WeakSet<object>();

  function clear(kind: FailureKind): void {
    const failure = standing.get(kind);
    if (failure === undefined) return;
    standing.delete(kind);
    log.event("database.recovered", { code: failure.code });
  }

  return {
    add(error: unknown) {
      const kind = failureKindOf(error);
      const root = rootOf(error);
      if (kind === undefined || seen.has(root)) return;
      seen.add(root);
      const code = sqliteErrorCode(root) ?? "";
      totals.set(code, (totals.get(code) ?? 0) + 1);
      last = { at: clock.now(), code, text: explain(root) };
      // Each request that fails is logged, too: here, one line says what it means.
      if (!standing.has(kind)) log.event("database.error", { code, reason: messageOf(root) });
      standing.set(kind, last);
    },

    /** A change was committed, so the file can be written. */
    changed: () => clear("write"),

    /** A check of the whole file that began at `startedAt` found nothing. */
    checked(startedAt: Instant) {
      const failure = standing.get("damage");
      if (failure !== undefined && failure.at <= startedAt) clear("damage");
    },

    /** The most recent error that still stands. Damage first. */
    standing: (kind?: FailureKind) =>
      kind === undefined ? (standing.get("damage") ?? standing.get("write")) : standing.get(kind),
    last: () => last,

    /** Number of errors since the start, by code. */
    totals: (): readonly { code: string; total: number }[] =>
      [...totals].map(([code, total]) => ({ code, total })),
  };
}

/** Returns the error that SQLite threw; drizzle wraps it. */
function rootOf(error: unknown): object {
  let root = error as Error;
  while (root.cause instanceof Error) root = root.cause;
  return root;
}
