import type { Progress } from "./outcome.ts";

/** Messages to remember. Beyond that, the oldest is sent again to those who have it. */
const messagesMax = 1_000;

/**
 * Remembers the messages that only some recipients have accepted, by identifier. Kept in memory: after a restart, all
 * recipients are sent such a message again, with the same Message-ID.
 */
export function createPartlyDelivered() {
  const messages = new Map<string, Progress>();
  return {
    get: (id: string): Progress | null => messages.get(id) ?? null,
    /** @param progress null: the message is complete, or nobody has accepted it */
    set(id: string, progress: Progress | null): void {
      messages.delete(id);
      if (progress === null) return;
      messages.set(id, progress);
      const [oldest] = messages.keys();
      if (messages.size > messagesMax && oldest !== undefined) messages.delete(oldest);
    },
  };
}
