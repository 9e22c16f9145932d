import { asc, eq } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { toIsoTime } from "../../lib/clock.ts";
import { StartError } from "../../lib/errors.ts";
import type { IdFactory } from "../../lib/ids.ts";
import { hashKey, shownLength } from "./key-format.ts";
import type { Plan, Scope } from "../../vocabulary/keys.ts";
import { apiKeys } from "./tables.ts";

/** A key that the configuration file declares: 20 to 200 visible ASCII characters, checked with the file. */
export interface DeclaredKey {
  name: string;
  key: string;
  plan: Plan;
  scopes: readonly Scope[];
  /** A-label form; none: all. */
  domains: readonly string[];
}

type Row = typeof apiKeys.$inferSelect;

/**
 * Makes the table agree with the file, within a transaction. A row is recognised by the key itself, so
 * that a new name keeps its history, else by its name, so that a new key takes the old one's place.
 * @throws StartError when a declared key was made at run time, or two entries have the same key.
 */
export function reconcileKeys(
  { database, clock, ids }: { database: Database; clock: Clock; ids: IdFactory },
  declared: readonly DeclaredKey[],
): void {
  const { query } = database;
  const wanted = declared.map((one) => ({ ...one, hash: hashKey(one.key) }));
  refuseSameKey(wanted);

  const rows = query.select().from(apiKeys).orderBy(asc(apiKeys.seq)).all();
  const byHash = new Map(rows.map((row) => [row.hash.toString("hex"), row]));
  const left = new Set(rows.filter(({ origin }) => origin === "file"));
  const places = wanted.map((one) => {
    const row = byHash.get(one.hash.toString("hex"));
    if (row?.origin === "runtime") throw madeAtRunTime(one.name, row);
    if (row !== undefined) left.delete(row);
    return { one, row };
  });
  for (const place of places) {
    place.row ??= [...left].find(({ name }) => name === place.one.name);
    if (place.row !== undefined) left.delete(place.row);
  }

  for (const { one, row } of places) {
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
      const made = { id: ids.next("apiKey"), origin: "file" as const, createdAt: clock.now() };
      query
        .insert(apiKeys)
        .values({ ...content, ...made })
        .run();
    } else if (!sameContent(row, content)) {
      query.update(apiKeys).set(content).where(eq(apiKeys.seq, row.seq)).run();
    }
  }
  for (const row of left) {
    if (row.revokedAt !== null) continue;
    query.update(apiKeys).set({ revokedAt: clock.now() }).where(eq(apiKeys.seq, row.seq)).run();
  }
}

function refuseSameKey(wanted: readonly { name: string; hash: Buffer }[]): void {
  const names = new Map<string, string>();
  for (const { name, hash } of wanted) {
    const other = names.get(hash.toString("hex"));
    if (other !== undefined) {
      throw new StartError(`api_keys: "${other}" and "${name}" have the same key; give each its own`, {
        exitCode: 2,
      });
    }
    names.set(hash.toString("hex"), name);
  }
}

// A revoked key may have been revoked because it leaked: the file must not bring it back unnoticed.
function madeAtRunTime(name: string, row: Row): StartError {
  const fate = row.revokedAt === null ? "" : ` and revoked on ${toIsoTime(row.revokedAt)}`;
  return new StartError(
    `api_keys: the key of "${name}" was made at run time as "${row.name}" (${row.id})${fate}; declare another key`,
    { exitCode: 2 },
  );
}

function sameContent(row: Row, content: Partial<Row>): boolean {
  return Object.entries(content).every(
    ([name, value]) => JSON.stringify(row[name as keyof Row]) === JSON.stringify(value),
  );
}
