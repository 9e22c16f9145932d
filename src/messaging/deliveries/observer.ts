import type { ThreatSnapshot } from "../../threats/events/event-filter.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";

/**
 * Sees everything that recipients can subscribe to. Called in the transaction of the fan-out, once for each event that it
 * wants and each escalation, in order. Must be fast: a step of the fan-out has hundreds of them. An error rolls the step back,
 * and the step is repeated later.
 */
export interface EventObserver {
  /** Returns whether events of this type matter now: their threats are read only then, which takes up to 20 µs each. */
  wants(type: EventType): boolean;
  observe(change: ObservedChange): void;
}

export type ObservedChange =
  /** `threat` is the present state of the threat that the event is about; null: none, or none that is on record. */
  | { kind: "event"; type: EventType; at: Instant; body: string; threat: ThreatSnapshot | null }
  /** The severity of the threat rose, or it became verified or active again. */
  | { kind: "escalation"; at: Instant; threat: ThreatSnapshot };
