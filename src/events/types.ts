import type { EventType, pingEventType } from "../vocabulary/events.ts";

/** The body of a delivery. */
export interface EventBody {
  id: string;
  type: EventType | typeof pingEventType;
  created_at: string;
  data: object;
}
