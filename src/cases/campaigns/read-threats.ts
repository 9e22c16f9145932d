import type { Database } from "../../database/database.ts";
import type { Facts } from "../../enrichment/facts/facts.ts";
import type { Status } from "../../vocabulary/threats.ts";
import type { ThreatSource } from "./traits.ts";

interface StoredThreat {
  seq: number;
  domain: string;
  protectedDomain: string;
  status: Status;
  facts: string | null;
  campaign: number | null;
}

/** A threat with the number of the campaign that is stored with it. */
export type ReadThreat = ThreatSource & { campaign: number | null };

/** Reads threats with the facts that grouping compares. */
export function createThreatReader({ sqlite }: Database) {
  const select = `select t.seq, t.domain, d.domain as protectedDomain, t.status, e.facts, t.campaign_seq as campaign
    from threats t join protected_domains d on d.seq = t.protected_domain_seq
    left join enrichments e on e.threat_seq = t.seq`;
  const after = sqlite.prepare<StoredThreat, [number, number]>(
    `${select} where t.seq > ? order by t.seq limit ?`,
  );
  const one = sqlite.prepare<StoredThreat, [number]>(`${select} where t.seq = ?`);
  const serialsOf = sqlite.prepare<{ serial: string }, [number]>(
    "select serial from threat_certificates where threat_seq = ? and serial <> '' order by seq desc limit 8",
  );
  const floor = sqlite.prepare<{ seq: number }, [number]>(
    "select seq from threats order by seq desc limit 1 offset ?",
  );
  const complete = ({ facts, ...threat }: StoredThreat): ReadThreat => ({
    ...threat,
    facts: facts === null ? undefined : (JSON.parse(facts) as Facts),
    serials: serialsOf.all(threat.seq).map(({ serial }) => serial),
  });
  return {
    /** Returns threats in the order of `seq`. */
    after: (seq: number, limit: number) => after.all(seq, limit).map(complete),
    /** Returns the newest threat that is not among a number of newer ones; 0: all are. */
    floor: (newer: number): number => floor.get(newer)?.seq ?? 0,
    one(seq: number): ReadThreat | undefined {
      const threat = one.get(seq);
      return threat === null ? undefined : complete(threat);
    },
  };
}

/** Reads the change log of the threats. */
export function createChangeReader({ sqlite }: Database) {
  const bounds = sqlite.prepare<{ first: number | null; last: number | null }, []>(
    "select (select min(version) from threat_touches) as first, (select max(version) from threat_touches) as last",
  );
  const after = sqlite.prepare<{ version: number; threatSeq: number }, [number, number]>(
    "select version, threat_seq as threatSeq from threat_touches where version > ? order by version limit ?",
  );
  return {
    /** First and last change in the log; null without any. */
    bounds: () => bounds.get()!,
    after: (version: number, limit: number) => after.all(version, limit),
  };
}
