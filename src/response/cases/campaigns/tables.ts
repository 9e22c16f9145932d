import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { json } from "../../../platform/database/columns.ts";
import type { ReasonCode } from "../grouping/reasons.ts";

/** Something that several threats of a campaign have in common. */
export interface CampaignReason {
  reason: ReasonCode;
  /** Hostile text. */
  value: string;
  /** Number of threats that have it in common. */
  threats: number;
  /** `seq` of these threats, the oldest first; at most 20,000 in all reasons together. */
  seqs: number[];
}

/**
 * Reasons that join the threats of each campaign. Derived from the facts, and written together with `threats.campaign_seq`: if
 * it is lost, it is computed again.
 */
export const campaigns = sqliteTable("campaigns", {
  /** `seq` of the oldest threat. */
  number: integer("number").primaryKey(),
  size: integer("size").notNull(),
  /** 0 to 100; see `campaignScore`. */
  score: integer("score").notNull(),
  reasons: json<CampaignReason[]>("reasons").notNull(),
});
