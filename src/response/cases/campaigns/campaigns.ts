import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Severity } from "../../../platform/vocabulary/threats.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import type { CampaignReason } from "./tables.ts";

/** Threats that belong together, by what their names and sites have in common. */
export interface Campaign {
  /** `seq` of the oldest threat. Another one takes its place if that threat leaves. */
  number: number;
  /** Number of threats, at least 2. */
  size: number;
  /** 0 to 100: how much of what costs an attacker money the threats have in common. */
  score: number;
  /** Those that most threats share come first. */
  reasons: CampaignReason[];
}

/** A campaign in a list, with figures about its threats. */
export interface CampaignSummary extends Campaign {
  /** Name of the oldest threat. */
  name: string;
  firstSeen: Instant;
  lastSeen: Instant;
  /** Threats first seen since the time that the caller gave. */
  recent: number;
  active: number;
  /** Threats whose site is up. */
  up: number;
  /** Threats whose site was up and is gone or blocked. */
  down: number;
  /** Threats that were reported to anybody. */
  reported: number;
  highest: Severity;
  /** Protected domains, with the number of their threats, the most frequent first. */
  protectedDomains: { domain: string; threats: number }[];
}

/** A threat of a campaign, with the reasons that join it to others. */
export interface CampaignThreat extends Pick<
  Threat,
  | "seq"
  | "id"
  | "domain"
  | "protectedDomain"
  | "status"
  | "severity"
  | "firstSeen"
  | "ipAddress"
  | "registrar"
  | "siteState"
> {
  /** ISO 8601; undefined if unknown. */
  registeredAt: string | undefined;
  /** `seq` of the account; null: not assigned. */
  assigneeSeq: number | null;
  isReported: boolean;
  /** Indexes in the reasons of the campaign. */
  reasons: number[];
}

/** A campaign as one of its threats sees it. */
export interface CampaignTies {
  campaign: Campaign;
  ties: CampaignReason[];
}

export type Campaigns = ReturnType<typeof createCampaigns>;

function campaignJson({ number, reasons, score, size }: Campaign): object {
  return {
    number,
    threats: size,
    score,
    reasons: reasons.map(({ reason, threats, value }) => ({ reason, value, threats })),
  };
}

interface StoredCampaign {
  number: number;
  size: number;
  score: number;
  reasons: string;
}

type Summary = Omit<CampaignSummary, "reasons" | "protectedDomains"> & {
  reasons: string;
  protectedDomains: string;
};

export function createCampaigns({ prepare }: Pick<Database, "prepare">) {
  const columns = "number, size, score, reasons";
  const byNumber = prepare<StoredCampaign, [number]>(`select ${columns} from campaigns where number = ?`);
  const ofThreat = prepare<StoredCampaign, [number]>(
    `select ${columns} from campaigns where number = (select campaign_seq from threats where seq = ?)`,
  );
  const summaries = prepare<
    Summary,
    [{ limit: number; offset: number; since: number; domain: string | null }]
  >(summaryQuery);
  const count = prepare<{ total: number }>("select count(*) as total from campaigns");
  const members = prepare<
    Omit<CampaignThreat, "registeredAt" | "reasons" | "isReported"> & {
      registeredAt: string | null;
      isReported: number;
    },
    [number, number, number]
  >(
    `select t.seq, t.id, t.domain, d.domain as protectedDomain, t.status, t.severity, t.first_seen as firstSeen,
       t.ip_address as ipAddress, t.registrar, t.whois ->> '$.created_at' as registeredAt,
       t.site_state as siteState, t.assignee_seq as assigneeSeq, ${isReported} as isReported
     from threats t join protected_domains d on d.seq = t.protected_domain_seq
     where t.campaign_seq = ? order by t.seq limit ? offset ?`,
  );
  const of = (threatSeq: number) => parsed(ofThreat.get(threatSeq));
  const seqOf = prepare<{ seq: number }, [string]>("select seq from threats where id = ?");
  return {
    /** Returns the campaign of a threat; undefined if it has none. */
    of,
    /** Returns the campaign of a threat, with the reasons that join this threat. */
    tiesOf(threatId: string): CampaignTies | undefined {
      const seq = seqOf.get(threatId)?.seq;
      const campaign = seq === undefined ? undefined : of(seq);
      if (campaign === undefined) return undefined;
      return { campaign, ties: campaign.reasons.filter(({ seqs }) => seqs.includes(seq!)) };
    },
    /** Returns the campaign of a threat in its public JSON form; null if it has none. */
    jsonOf(threatSeq: number): object | null {
      const campaign = of(threatSeq);
      return campaign === undefined ? null : campaignJson(campaign);
    },
    get: (number: number) => parsed(byNumber.get(number)),
    /** Returns campaigns with active threats first, then those whose sites are up, then those with the latest threats. */
    list: ({
      limit,
      offset,
      protectedDomain,
      recentSince,
    }: {
      limit: number;
      offset: number;
      recentSince: Instant;
      protectedDomain?: string | undefined;
    }): CampaignSummary[] =>
      summaries
        .all({ limit, offset, since: recentSince, domain: protectedDomain ?? null })
        .map(({ reasons, protectedDomains, ...summary }) => ({
          ...summary,
          reasons: JSON.parse(reasons) as CampaignReason[],
          protectedDomains: JSON.parse(protectedDomains) as CampaignSummary["protectedDomains"],
        })),
    total: () => count.get()!.total,
    /** Returns threats of a campaign, the oldest first. */
    threats(
      { number, reasons }: Campaign,
      { limit, offset }: { limit: number; offset: number },
    ): CampaignThreat[] {
      const rows = members.all(number, limit, offset);
      const ties = new Map(rows.map(({ seq }) => [seq, [] as number[]]));
      for (const [index, { seqs }] of reasons.entries()) for (const seq of seqs) ties.get(seq)?.push(index);
      return rows.map(({ isReported: reported, registeredAt, ...threat }) => ({
        ...threat,
        isReported: reported === 1,
        registeredAt: registeredAt ?? undefined,
        reasons: ties.get(threat.seq)!,
      }));
    },
  };
}

/** Whether threat `t` was reported. */
const isReported = `exists (select 1 from takedowns k join takedown_report_threats r on r.takedown_seq = k.seq
  where k.threat_seq = t.seq)`;

const summaryQuery = `
  select listed.*, (select count(*) from threats t where t.campaign_seq = listed.number and ${isReported}) as reported from (
  select c.number, c.size, c.score, c.reasons, oldest.domain as name,
    min(t.first_seen) as firstSeen, max(t.first_seen) as lastSeen,
    sum(t.first_seen >= $since) as recent, sum(t.status = 'active') as active,
    coalesce(sum(t.site_state in ('up', 'back')), 0) as up,
    coalesce(sum(t.site_state in ('down', 'blocked')), 0) as down,
    case min(case t.severity when 'high' then 0 when 'medium' then 1 else 2 end)
      when 0 then 'high' when 1 then 'medium' else 'low' end as highest,
    (select json_group_array(json_object('domain', domain, 'threats', threats)) from (
      select d.domain, count(*) as threats from threats o join protected_domains d on d.seq = o.protected_domain_seq
      where o.campaign_seq = c.number group by d.seq order by threats desc, d.domain limit 5)) as protectedDomains
  from campaigns c join threats t on t.campaign_seq = c.number join threats oldest on oldest.seq = c.number
  where $domain is null or exists (
    select 1 from threats o join protected_domains d on d.seq = o.protected_domain_seq
    where o.campaign_seq = c.number and d.domain = $domain)
  group by c.number order by active > 0 desc, up > 0 desc, lastSeen desc, c.number desc
  limit $limit offset $offset) listed`;

function parsed(stored: StoredCampaign | undefined): Campaign | undefined {
  return stored === undefined
    ? undefined
    : { ...stored, reasons: JSON.parse(stored.reasons) as CampaignReason[] };
}
