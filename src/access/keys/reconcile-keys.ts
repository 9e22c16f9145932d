import { asc, eq } from "drizzle-orm";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { StartError } from "../../platform/lib/errors.ts";
import type { Plan, Scope } from "../../platform/vocabulary/keys.ts";
import { configurationFile } from "../audit/actor.ts";
import type { Needs } from "../audit/needs.ts";
import { contentOf, subjectOf } from "./audit.ts";
import { hashKey, shownLength } from "./key-format.ts";
import { apiKeys } from "./tables.ts";

/** A key that the configuration file declares: 20 to 200 visible ASCII characters, validated with the file. */
export interface DeclaredKey {
  name: string;
  key: string;
  plan: Plan;
  scopes: readonly Scope[];
  /** Protected domains that the key is restricted to, as A-labels; empty for all. */
  domains: readonly string[];
}

type Row = typeof apiKeys.$inferSelect;
type HashedKey = DeclaredKey & { hash: Buffer };

/**
 * Makes the table match the configuration file, in the caller's transaction. A row is matched by the key, so that a
 * renamed key keeps its history, otherwise by name, so that a new key replaces the previous one.
 * @throws StartError when a declared key was created at run time, or two entries have the same key.
 */
export function reconcileKeys(
  { database, clock, ids, auditLog }: Needs<"auditLog" | "clock" | "database" | "ids">,
  declared: readonly DeclaredKey[],
): void {
  const { query } = database;
  const wanted = declared.map((one) => ({ ...one, hash: hashKey(one.key) }));
  rejectDuplicates(wanted);
  const rows = query.select().from(apiKeys).orderBy(asc(apiKeys.seq)).all();
  const { pairs, undeclared } = matchRows(wanted, rows);

  for (const { one, row } of pairs) {
    const content = {
      name: one.name,
      hash: one.hash,
      prefix: one.key.slice(0, shownLength),
      plan: one.plan,
      scopes: [...one.scopes],
      domains: [...one.domains],
      revokedAt: null,
    };
    if (row === undefined) {
      const fixed = { id: ids.next("apiKey"), origin: "file" as const, createdAt: clock.now() };
      const created = query
        .insert(apiKeys)
        .values({ ...content, ...fixed })
        .returning()
        .get();
      auditLog.record(configurationFile, "key.create", subjectOf(created), contentOf(created));
    } else if (!hasContent(row, content)) {
      const changed = query.update(apiKeys).set(content).where(eq(apiKeys.seq, row.seq)).returning().get();
      auditLog.record(configurationFile, "key.change", subjectOf(changed), contentOf(changed));
    }
  }
  for (const row of undeclared) {
    if (row.revokedAt !== null) continue;
    query.update(apiKeys).set({ revokedAt: clock.now() }).where(eq(apiKeys.seq, row.seq)).run();
    auditLog.record(configurationFile, "key.revoke", subjectOf(row), contentOf(row));
  }
}

/** Pairs each declared key with its row, and returns the rows of the file's keys that are left over. */
function matchRows(
  wanted: readonly HashedKey[],
  rows: readonly Row[],
): { pairs: { one: HashedKey; row: Row | undefined }[]; undeclared: Set<Row> } {
  const byHash = new Map(rows.map((row) => [row.hash.toString("hex"), row]));
  const undeclared = new Set(rows.filter(({ origin }) => origin === "file"));
  const pairs = wanted.map((one) => {
    const row = byHash.get(one.hash.toString("hex"));
    if (row?.origin === "runtime") throw createdAtRunTime(one.name, row);
    if (row !== undefined) undeclared.delete(row);
    return { one, row };
  });
  for (const pair of pairs) {
    pair.row ??= [...undeclared].find(({ name }) => name === pair.one.name);
    if (pair.row !== undefined) undeclared.delete(pair.row);
  }
  return { pairs, undeclared };
}

function rejectDuplicates(wanted: readonly HashedKey[]): void {
  const names = new Map<string, string>();
  for (const { name, hash } of wanted) {
    const other = names.get(hash.toString("hex"));
    if (other !== undefined) {
      throw new StartError(
        `api_keys: "${other}" and "${name}" have the same key; use a different key for each`,
        {
          exitCode: 2,
        },
      );
    }
    names.set(hash.toString("hex"), name);
  }
}

/** Such a key may have been revoked because it leaked, so the file must not silently restore it. */
function createdAtRunTime(name: string, row: Row): StartError {
  const revoked = row.revokedAt === null ? "" : ` and revoked on ${toIsoTime(row.revokedAt)}`;
  return new StartError(
    `api_keys: the key of "${name}" was created at run time as "${row.name}" (${row.id})${revoked}; declare another key`,
    { exitCode: 2 },
  );
}

function hasContent(row: Row, content: Partial<Row>): boolean {
  return Object.entries(content).every(
    ([name, value]) => JSON.stringify(row[name as keyof Row]) === JSON.stringify(value),
  );
}
