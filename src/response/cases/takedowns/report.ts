import type { Actor } from "../../../access/audit/actor.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import type { ReportMethod } from "../../../platform/vocabulary/cases.ts";
import type { SiteState } from "../../../platform/vocabulary/site.ts";
import type { Recipient, RecipientSource } from "../recipients/recipient.ts";

/** `escalation`: to another recipient, because an earlier one did not act. `again`: the site came back. */
export const reportPurposes = ["first", "follow_up", "escalation", "again"] as const;
export type ReportPurpose = (typeof reportPurposes)[number];

/**
 * State of an email: `interrupted`: phishwatch ended, or lost the connection, while it was being sent, so that it may or
 * may not have arrived. `bounced`: rejected for good. `failed`: all attempts failed.
 */
export const deliveryStates = ["queued", "sending", "sent", "interrupted", "bounced", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** States of a site that need no report. The others are still to be taken down, or may come up. */
export const goneStates: readonly (SiteState | null)[] = ["down", "blocked", "unregistered"];
export const upStates: readonly (SiteState | null)[] = ["up", "back"];

/** Outcome of a report for one threat. `deleted`: the threat was deleted before it went down. */
export type Outcome = "open" | "down" | "closed" | "deleted";

/** One threat of a report, or a threat that was reported. */
export interface Takedown {
  seq: number;
  /** Null: the threat was deleted. */
  threatId: string | null;
  domain: string;
  protectedDomain: string;
  registrar: string | null;
  hoster: string | null;
  reportedAt: Instant;
  countedFrom: Instant | null;
  downAt: Instant | null;
  downState: SiteState | null;
  backAt: Instant | null;
  closedAt: Instant | null;
  /** Whether the site is up again, and was neither reported again nor decided. */
  isBack: boolean;
  outcome: Outcome;
  /** Present state of the site; null: not known, or the threat was deleted. */
  siteState: SiteState | null;
}

/** Recipient of a report, as it was known when the report was sent. */
export interface ReportRecipient extends Pick<Recipient, "kind" | "name" | "email" | "formUrl"> {
  source: RecipientSource;
}

/** A report as it is on record. Names and responses are text of strangers. */
export interface Report {
  seq: number;
  /** In the subject, so that responses can be matched. */
  reference: string;
  purpose: ReportPurpose;
  previousSeq: number | null;
  recipient: ReportRecipient;
  method: ReportMethod;
  subject: string;
  body: string;
  createdAt: Instant;
  by: Actor;
  ticket: string | null;
  delivery: DeliveryState | null;
  deliveryResponse: string | null;
  attempts: number;
  attemptAt: Instant | null;
  sentAt: Instant | null;
  messageId: string | null;
  followUpAt: Instant | null;
}

/** A response of a recipient, pasted in by a person. */
export interface ReportResponse {
  at: Instant;
  text: string;
  by: Actor;
}

/** A file of a report. */
export interface ReportFile {
  name: string;
  mediaType: string;
  bytes: number;
  sha256: string;
  attached: boolean;
}

/** Eight characters of Crockford's base32, which are not confused when they are read out. */
export const referencePattern = /^PW-[0-9A-HJKMNP-TV-Z]{8}$/;
const referenceCharacters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns the reference of a new report, such as PW-4F7K2Q9D. */
export function newReference(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(8);
  fillRandom(bytes);
  return `PW-${[...bytes].map((byte) => referenceCharacters[byte % referenceCharacters.length]).join("")}`;
}

/** Maximum number of threats of one report. */
export const threatsPerReportMax = 100;
export const responseCharactersMax = 20_000;
export const responsesPerReportMax = 50;
export const subjectCharactersMax = 200;
export const bodyCharactersMax = 30_000;
export const ticketCharactersMax = 60;
