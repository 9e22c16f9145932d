import { asc, eq, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest, notFound } from "../lib/errors.ts";
import type { RecordThreatDecision } from "./audit.ts";
import { threatNotes, threats } from "./tables.ts";

/** What somebody wrote about a threat: show nothing of it unescaped. */
export interface Note {
  at: Instant;
  text: string;
  by: Actor;
}

export interface Notes {
  /**
   * Lines are kept, space around the text is not.
   * @throws PublicError `not_found`: no such threat; `bad_request`: empty, too long, or one too many.
   */
  add(threatId: string, text: string, options: { by: Actor }): Note;
  /** Oldest first. */
  list(threatId: string): Note[];
}

export const noteCharactersMax = 4_000;
export const notesPerThreatMax = 200;

export function createNotes({
  database,
  clock,
  recordDecision,
}: {
  database: Database;
  clock: Clock;
  recordDecision: RecordThreatDecision;
}): Notes {
  const { query } = database;
  const id = sql.placeholder("id");
  const seqOf = query.select({ seq: threats.seq }).from(threats).where(eq(threats.id, id)).prepare();
  const count = query
    .select({ total: sql<number>`count(*)` })
    .from(threatNotes)
    .where(eq(threatNotes.threatSeq, sql.placeholder("threatSeq")))
    .prepare();
  const insert = query
    .insert(threatNotes)
    .values(placeholders("threatSeq", "at", "text", "channel", "actorName", "actorAddress"))
    .prepare();
  const list = query
    .select({
      at: threatNotes.at,
      text: threatNotes.text,
      channel: threatNotes.channel,
      actorName: threatNotes.actorName,
      actorAddress: threatNotes.actorAddress,
    })
    .from(threatNotes)
    .innerJoin(threats, eq(threatNotes.threatSeq, threats.seq))
    .where(eq(threats.id, id))
    .orderBy(asc(threatNotes.seq))
    .limit(notesPerThreatMax)
    .prepare();

  return {
    add: (threatId, given, { by }) =>
      database.transaction(() => {
        const text = checked(given);
        const threatSeq = seqOf.get({ id: threatId })?.seq;
        if (threatSeq === undefined) throw notFound("There is no threat with this id.");
        if (count.get({ threatSeq })!.total >= notesPerThreatMax)
          throw badRequest(`The threat has ${notesPerThreatMax} notes, and takes no more.`);
        const at = clock.now();
        insert.run({
          threatSeq,
          at,
          text,
          channel: by.channel,
          actorName: by.name,
          actorAddress: by.address,
        });
        recordDecision({ by, action: "threat.note", ids: [threatId], changed: 1 });
        return { at, text, by };
      }),
    list: (threatId) =>
      list.all({ id: threatId }).map(({ at, text, channel, actorName: name, actorAddress: address }) => ({
        at,
        text,
        by: { channel, name, address },
      })),
  };
}

function checked(given: string): string {
  const text = given.replace(/\r\n?/g, "\n").trim();
  if (text === "") throw badRequest("The note is empty.");
  const { length } = [...text];
  if (length > noteCharactersMax)
    throw badRequest(`The note has ${length} characters; ${noteCharactersMax} are allowed.`);
  return text;
}
