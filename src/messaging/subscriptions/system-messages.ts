import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { ConditionChange } from "../content/texts/system-texts.ts";
import type { EventType, NoticeType } from "../../platform/vocabulary/events.ts";
import type { ActiveSubscription } from "./queue/active.ts";
import type { Queue } from "./queue/queue.ts";

/** A condition of the appliance that began or ended. */
export interface SystemMessage extends ConditionChange {
  type: Exclude<NoticeType, EventType>;
  at: Instant;
  /** `seq` of a recipient that is sent nothing, because the message is about it. */
  exceptRecipient?: number;
}

/** Sends messages about the appliance to those who subscribe to them. */
export interface SystemMessages {
  /** Queues a message in the caller's transaction. */
  send(message: SystemMessage): void;
}

export function createSystemMessages({
  active,
  database,
  onQueued,
  queue,
}: {
  active: () => readonly ActiveSubscription[];
  database: Pick<Database, "afterCommit" | "sqlite">;
  onQueued: () => void;
  queue: Pick<Queue, "add">;
}): SystemMessages {
  return {
    send({ type, at, exceptRecipient, ...condition }) {
      if (!database.sqlite.inTransaction)
        throw new Error("a message must be queued in the transaction of its cause");
      const wanting = active().filter(
        ({ events, recipientSeq }) => events.has(type) && recipientSeq !== exceptRecipient,
      );
      const data = JSON.stringify(condition);
      queue.add({ type, late: false, threatSeq: null, data, at, urgentAt: at }, wanting);
      if (wanting.length > 0) database.afterCommit(onQueued);
    },
  };
}
