import { sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { opaqueValue, statement, valuesOf } from "../../platform/database/statement.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { registrationResponses } from "./tables.ts";

/** Response of a registry or registrar as it was received. Escape it before you show any of it. */
export interface RegistrationResponse {
  text: string;
  at: Instant;
}

/** Stores the latest raw response about each threat's registration, as evidence. */
export type RegistrationResponses = ReturnType<typeof createRegistrationResponses>;

export function createRegistrationResponses(database: Database) {
  const save = statement(database, (query) =>
    query
      .insert(registrationResponses)
      .values(valuesOf(registrationResponses, "threatSeq", "at", "response"))
      .onConflictDoUpdate({
        target: registrationResponses.threatSeq,
        set: { at: sql`excluded.at`, response: sql`excluded.answer` },
      }),
  );
  const find = statement(database, (query) =>
    query
      .select({ at: registrationResponses.at, response: registrationResponses.response })
      .from(registrationResponses)
      .where(
        sql`${registrationResponses.threatSeq} = (select seq from ${threats} where id = ${opaqueValue(threats.id)})`,
      ),
  );
  return {
    /** Replaces an earlier response. */
    save: (threatSeq: number, text: string, at: Instant) =>
      save.run({ threatSeq, at, response: Bun.zstdCompressSync(text) }),
    find(threatId: string): RegistrationResponse | undefined {
      const row = find.get({ id: threatId });
      if (row === undefined) return undefined;
      return { at: row.at, text: new TextDecoder().decode(Bun.zstdDecompressSync(row.response)) };
    },
  };
}
