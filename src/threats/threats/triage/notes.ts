import { asc, count, eq } from "drizzle-orm";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { columnsOf, hasValue, statement, valuesExcept } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../../platform/lib/errors.ts";
import { threatNotes, threats } from "../store/tables.ts";
import type { RecordThreatDecision } from "./audit.ts";

/** A note on a threat; its text is user input and must be escaped. */
export interface Note {
  at: Instant;
  text: string;
  by: Actor;
}

export type Notes = ReturnType<typeof createNotes>;

export const noteCharactersMax = 4_000;
export const notesPerThreatMax = 200;

export function createNotes({
  database,
  clock,
  recordDecision,
}: Needs<"clock" | "database"> & { recordDecision: RecordThreatDecision }) {
  const idMatches = hasValue(threats.id);
  const findSeq = statement(database, (query) =>
    query.select({ seq: threats.seq }).from(threats).where(idMatches),
  );
  const total = statement(database, (query) =>
    query.select({ total: count() }).from(threatNotes).where(hasValue(threatNotes.threatSeq)),
  );
  const insert = statement(database, (query) =>
    query.insert(threatNotes).values(valuesExcept(threatNotes, "seq")),
  );
  const list = statement(database, (query) =>
    query
      .select(columnsOf(threatNotes, "at text channel actorName actorAddress"))
      .from(threatNotes)
      .innerJoin(threats, eq(threatNotes.threatSeq, threats.seq))
      .where(idMatches)
      .orderBy(asc(threatNotes.seq))
      .limit(notesPerThreatMax),
  );

  return {
    /**
     * Adds a note. Keeps line breaks and removes space around the text.
     * @throws PublicError `not_found`: no such threat; `bad_request`: empty, too long, or one too many.
     */
    add: (threatId: string, input: string, { by }: { by: Actor }): Note =>
      database.transaction(() => {
        const text = validNote(input);
        const threatSeq = findSeq.get({ id: threatId })?.seq;
        if (threatSeq === undefined) throw notFound("There is no threat with this ID.");
        if (total.get({ threatSeq })!.total >= notesPerThreatMax)
          throw badRequest(`The threat already has ${notesPerThreatMax} notes, which is the maximum.`);
        const at = clock.now();
        const { channel, name, address } = by;
        insert.run({ threatSeq, at, text, channel, actorName: name, actorAddress: address });
        recordDecision({ by, action: "threat.note", ids: [threatId], changed: 1 });
        return { at, text, by };
      }),
    /** Returns the notes, oldest first. */
    list: (threatId: string): Note[] =>
      list.all({ id: threatId }).map(({ at, text, channel, actorName: name, actorAddress: address }) => ({
        at,
        text,
        by: { channel, name, address },
      })),
  };
}

function validNote(input: string): string {
  const text = input.replace(/\r\n?/g, "\n").trim();
  if (text === "") throw badRequest("The note is empty.");
  const { length } = [...text];
  if (length > noteCharactersMax)
    throw badRequest(`The note has ${length} characters; the maximum is ${noteCharactersMax}.`);
  return text;
}
