import { sql } from "drizzle-orm";
import { columnsOf, value } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import { threats, threatUrls } from "./tables.ts";

/*
 * The columns of a threat by who reads them. A new field gets a line in the narrowest of these that shows it, and,
 * if the API shows it, one in `api-object.ts`. Queries have to join `protected_domains`.
 */

/** Fields that every reader and every event shows. */
const identityColumns = {
  id: threats.id,
  domain: threats.domain,
  protectedDomain: protectedDomains.domain,
  ...columnsOf(threats, "type status severity similarity"),
};

/** Columns that a status change needs, which writes events. */
export const changeableColumns = { seq: threats.seq, ...identityColumns };

/** Columns of the API's list. */
export const listColumns = {
  ...changeableColumns,
  ...columnsOf(threats, "source firstSeen screenshotToken"),
};

/** Columns of the API's detail. */
export const detailColumns = {
  ...changeableColumns,
  ...columnsOf(threats, "source createdAt screenshotToken ipAddress registrar whois"),
};

/** Columns of the console's list. */
export const foundColumns = {
  ...listColumns,
  ...columnsOf(
    threats,
    "reasons severityReasons verified statusChangedAt changedAt decidedAt ipAddress registrar nameServer",
  ),
  /** Name of the account; null: nobody. */
  assignee: sql<string | null>`(select name from accounts where seq = ${threats.assigneeSeq})`.as("assignee"),
  ...columnsOf(threats, "dueAt siteState campaignSeq"),
};

const exportedUrlsMax = sql.raw("10");

/** Columns of exports. Of the registration data, only the one value that they show is read. */
export const exportColumns = {
  ...listColumns,
  ...columnsOf(threats, "createdAt changedAt reactivations verified ipAddress registrar"),
  /** ISO 8601. */
  registeredAt: sql<string | null>`json_extract(${threats.whois}, '$.created_at')`.as("registered_at"),
  reasons: threats.reasons,
  severityReasons: threats.severityReasons,
  /** Latest addresses under which sources named it, newest first, as a JSON array. */
  urls: sql<string>`(select json_group_array(url) from (select url from ${threatUrls}
    where ${threatUrls.threatSeq} = ${threats.seq} order by ${threatUrls.seq} desc limit ${exportedUrlsMax}))`.as(
    "urls",
  ),
};

/** All columns that a reader of one threat can need. */
export const allColumns = { ...foundColumns, ...detailColumns, siteStateAt: threats.siteStateAt };

/**
 * Value of `changedAt` in an update, with the present time as the value `changedAt`. It grows with every change, also
 * if the clock was set back: those who poll for changes, and readers of exports, compare it.
 */
export const changedNow = { changedAt: sql`max(changed_at + 1, ${value(threats.changedAt)})` };
