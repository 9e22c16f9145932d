import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { opaque, placeholders } from "../database/placeholders.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Instant } from "../lib/clock.ts";
import { threats } from "../threats/tables.ts";
import { registrationAnswers } from "./tables.ts";

/** What is kept for evidence only, apart from the facts. */
export interface EvidenceStore {
  /** `text`: what was said about the registration, as it came; takes the place of an earlier one. */
  saveAnswer(threatSeq: number, text: string, at: Instant): void;
  answerOf(threatId: string): RegistrationAnswer | undefined;
  /** The identifier of the domain that a threat imitates. */
  protectedDomainOf(threatId: string): string | undefined;
}

/** What registry or registrar said, as it came: show nothing of it unescaped. */
export interface RegistrationAnswer {
  text: string;
  at: Instant;
}

export function createEvidenceStore({ query }: Database): EvidenceStore {
  const id = opaque("threatId");
  const save = query
    .insert(registrationAnswers)
    .values(placeholders("threatSeq", "at", "answer"))
    .onConflictDoUpdate({
      target: registrationAnswers.threatSeq,
      set: { at: sql`excluded.at`, answer: sql`excluded.answer` },
    })
    .prepare();
  const answerOf = query
    .select({ at: registrationAnswers.at, answer: registrationAnswers.answer })
    .from(registrationAnswers)
    .where(sql`${registrationAnswers.threatSeq} = (select seq from ${threats} where id = ${id})`)
    .prepare();
  const protectedDomainOf = query
    .select({ id: protectedDomains.id })
    .from(protectedDomains)
    .innerJoin(threats, eq(threats.protectedDomainSeq, protectedDomains.seq))
    .where(eq(threats.id, id))
    .prepare();
  return {
    saveAnswer: (threatSeq, text, at) => void save.run({ threatSeq, at, answer: Bun.zstdCompressSync(text) }),
    answerOf(threatId) {
      const kept = answerOf.get({ threatId });
      if (kept === undefined) return undefined;
      return { at: kept.at, text: new TextDecoder().decode(Bun.zstdDecompressSync(kept.answer)) };
    },
    protectedDomainOf: (threatId) => protectedDomainOf.get({ threatId })?.id,
  };
}
