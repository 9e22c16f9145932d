import type { AuditDetail } from "../../access/audit/actions.ts";
import type { Archive } from "../../engines/archive/archive.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { SourceActivity } from "../../intake/sources/activity/source-activity.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { TrapKindName } from "../../platform/vocabulary/traps.ts";
import type { TrapPresentation } from "./presentation.ts";
import type { LiveTrap, NewTrap, PreparedTrap, Trap } from "./trap.ts";
import type { AlertLimits } from "./visits/alert-limits.ts";
import type { NewVisit } from "./visits/store.ts";

/**
 * A kind of trap: everything about it that other kinds do not share. The service in `traps.ts` does the rest for all
 * kinds: names, addresses, states, visits, limits, audit log.
 *
 * To add a kind, write its folder below `kinds/`, and list it in `kinds/kinds.ts` and in `vocabulary/traps.ts`.
 *
 * @typeParam Input what a trap is created from
 * @typeParam Details data of a trap that only its kind reads, stored as JSON
 * @typeParam Observation what is kept of a request until it is classified
 */
export interface TrapKind<Input extends NewTrap = NewTrap, Details = unknown, Observation = unknown> {
  /** Names the kind in texts too. The plural (`honeytokens`) names its command and its path in the console. */
  readonly name: TrapKindName;
  /** First segment of the path of its addresses. */
  readonly pathSegment: string;
  readonly presentation: TrapPresentation<Input, Details>;
  /** Validates input for a new trap. @throws PublicError `bad_request` */
  prepare(input: Input): PreparedTrap<Details>;
  /** Returns the details of a new trap for the audit log, beyond its identifier. */
  auditDetail(trap: Trap<Details>): AuditDetail;
  /** Returns the text after the address in the URL to deploy, for example `.gif`. */
  suffix(trap: Trap<Details>): string;
  /** Returns whether traps of this kind respond to this method and this text after the address. */
  accepts(request: { method: string; suffix: string }): boolean;
  /**
   * Responds to a visitor. The response depends on the trap and on the requested path alone, never on how the visit
   * will be classified: neither it nor its timing may tell a visitor what the trap has noticed.
   */
  respond(trap: LiveTrap<Details>, request: { suffix: string }): Response;
  /** Extracts from a request, within limits, what classification needs. */
  observe(request: Request): Observation;
  open(dependencies: TrapKindDependencies): TrapClassifier<Details, Observation>;
}

/** The part of a kind that needs other services. */
export interface TrapClassifier<Details = unknown, Observation = unknown> {
  classify(raw: RawVisit<Observation>, trap: Trap<Details>): ClassifiedVisit;
  /** Records what follows from a visit that raises an alert. Must be called within a transaction. */
  alert(visit: Visit, trap: Trap<Details>, limits: AlertLimits): AlertOutcome;
}

export interface TrapKindDependencies {
  activity: Pick<SourceActivity, "add">;
  archive: Pick<Archive, "add">;
  domains: Pick<ProtectedDomains, "matcher">;
  outbox: Pick<Outbox, "record">;
  threats: Pick<Threats, "record">;
}

/** A visit as it came in, before it is classified. */
export interface RawVisit<Observation = unknown> {
  kind: TrapKindName;
  trapId: string;
  at: Instant;
  ipAddress: string | null;
  /** The client's network; empty if unknown. */
  network: string;
  userAgent: string | null;
  observation: Observation;
}

/** A visit as its kind classifies it, for its row. */
export type ClassifiedVisit = Pick<
  NewVisit,
  "class" | "host" | "url" | "referrer" | "claimedUrl" | "method" | "headers"
>;

/** A classified visit with its visitor. */
export type Visit = ClassifiedVisit & Pick<RawVisit, "at" | "ipAddress" | "network" | "userAgent">;

/** Event and threat that a visit led to; null: none. */
export interface AlertOutcome {
  eventId: string | null;
  threatId: string | null;
}

export const noAlert: AlertOutcome = { eventId: null, threatId: null };
