import type { Database } from "../../../platform/database/database.ts";
import type { Facts } from "../../../facts/enrichment/facts/facts.ts";
import type { ThreatSource } from "./traits.ts";

/** Nothing is known about most threats: `{"unknown":{}}`. */
const emptyFactsLength = 14;

/** A threat with the number of the campaign that is stored with it. */
export type ReadThreat = Omit<ThreatSource, "originals"> & { campaign: number | null };

type StoredThreat = Omit<ReadThreat, "facts" | "serials"> & {
  facts: string | null;
  /** 1 if certificate logs showed the name, else 0. */
  isCertified: number;
};

/** Reads threats with the facts that grouping compares. */
export function createThreatReader({ prepare }: Pick<Database, "prepare">) {
  const isCertified = "exists (select 1 from threat_certificates c where c.threat_seq = t.seq)";
  const select = `select t.seq, t.domain, d.domain as protectedDomain, t.status, t.first_seen as firstSeen, e.facts,
      t.campaign_seq as campaign, ${isCertified} as isCertified
    from threats t join protected_domains d on d.seq = t.protected_domain_seq
    left join enrichments e on e.threat_seq = t.seq`;
  const between = prepare<StoredThreat, [number, number]>(
    `${select} where t.seq > ? and t.seq <= ? and (
      length(e.facts) > ${emptyFactsLength} or t.domain glob '*[0-9]*' or t.campaign_seq is not null
      or ${isCertified})
    order by t.seq`,
  );
  const one = prepare<StoredThreat, [number]>(`${select} where t.seq = ?`);
  const numbered = prepare<{ seq: number }, [number]>(
    "select seq from threats where campaign_seq is not null and seq <= ?",
  );
  const last = prepare<{ seq: number | null }>("select max(seq) as seq from threats");
  const serialsOf = prepare<{ serial: string }, [number]>(
    "select serial from threat_certificates where threat_seq = ? and serial <> '' order by seq desc limit 8",
  );
  const complete = ({ facts, isCertified: hasSerials, ...threat }: StoredThreat): ReadThreat => ({
    ...threat,
    facts: facts === null ? undefined : (JSON.parse(facts) as Facts),
    serials: hasSerials === 1 ? serialsOf.all(threat.seq).map(({ serial }) => serial) : [],
  });
  return {
    /** Returns threats of a range that may have something that others have as well, in the order of `seq`. */
    *between(after: number, upTo: number): Generator<ReadThreat> {
      for (const threat of between.all(after, upTo)) yield complete(threat);
    },
    one(seq: number): ReadThreat | undefined {
      const threat = one.get(seq);
      return threat === undefined ? undefined : complete(threat);
    },
    /** Returns threats that have a number. */
    numberedUpTo: (seq: number) => numbered.all(seq).map((threat) => threat.seq),
    lastSeq: () => last.get()!.seq ?? 0,
  };
}

/** Reads the change log of the threats. */
export function createChangeReader({ prepare }: Pick<Database, "prepare">) {
  const bounds = prepare<{ first: number | null; last: number | null }>(
    "select (select min(version) from threat_change_log) as first, (select max(version) from threat_change_log) as last",
  );
  const after = prepare<{ version: number; threatSeq: number }, [number, number]>(
    "select version, threat_seq as threatSeq from threat_change_log where version > ? order by version limit ?",
  );
  return {
    /** First and last change in the log; null without any. */
    bounds: () => bounds.get()!,
    after: (version: number, limit: number) => after.all(version, limit),
  };
}

/** Reads what the protected domains' own sites have, which is no reason to join threats. */
export function createOriginalReader({ prepare }: Pick<Database, "prepare">) {
  const marks = prepare<{ marks: string }>(
    "select value ->> '$.marks' as marks from settings where name like 'original_marks:%' order by name",
  );
  return {
    /** Returns all of them as one text, which is the same as long as nothing changes. */
    text: (): string =>
      `[${marks
        .all()
        .map((row) => row.marks)
        .join()}]`,
  };
}

/** Returns the values in such a text, as `kind value`. */
export function originalsIn(text: string): ReadonlySet<string> {
  const all = JSON.parse(text) as Record<string, string[]>[];
  return new Set(
    all.flatMap((marks) =>
      Object.entries(marks).flatMap(([kind, values]) => values.map((value) => `${kind} ${value}`)),
    ),
  );
}
