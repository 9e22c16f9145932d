import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement, valuesOf } from "../../platform/database/statement.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { SystemMessages } from "../../messaging/subscriptions/system-messages.ts";
import { compare, type Condition, type News } from "./condition.ts";
import { systemConditions } from "./tables.ts";

/** Watches the conditions of the appliance, and sends each one once when it begins and once when it ends. */
export type ConditionMonitor = ReturnType<typeof createConditionMonitor>;

const twiceAMinute = "*/30 * * * * *";

export function createConditionMonitor({
  clock,
  database,
  log,
  messages,
  observe,
}: Needs<"clock" | "database" | "log"> & {
  messages: SystemMessages;
  /** Returns everything that can be said at present. */
  observe: () => Promise<{ conditions: readonly Condition[]; news: readonly News[] }>;
}) {
  const list = statement(database, (query) => query.select().from(systemConditions));
  const save = statement(database, (query) =>
    query
      .insert(systemConditions)
      .values(valuesOf(systemConditions, "key", "type", "since", "sentAt", "version"))
      .onConflictDoUpdate({
        target: systemConditions.key,
        set: valuesOf(systemConditions, "since", "sentAt", "version"),
      }),
  );
  const remove = statement(database, (query) =>
    query.delete(systemConditions).where(hasValue(systemConditions.key)),
  );
  let schedule: Schedule | undefined;
  let checking: Promise<void> | undefined;

  /** Compares once, now. */
  async function check(): Promise<void> {
    const observed = await observe();
    const isChanged = () => {
      const change = compare({ stored: list.all(), ...observed, now: clock.now() });
      return change.save.length + change.remove.length > 0 ? change : undefined;
    };
    if (isChanged() === undefined) return;
    // Together: after a crash, a message is neither missing nor repeated.
    const sent = await database.write(() => {
      const change = isChanged();
      for (const row of change?.save ?? []) save.run(row);
      for (const key of change?.remove ?? []) remove.run({ key });
      for (const message of change?.send ?? []) messages.send(message);
      return change?.send ?? [];
    });
    for (const { phase, title, text } of sent) {
      if (phase === "began") log.event("condition.began", { condition: title, detail: text });
      else if (phase === "ended") log.event("condition.ended", { condition: title, detail: text });
    }
  }

  async function run(): Promise<void> {
    try {
      await (checking = check());
    } catch (error) {
      logDropped(log, error, "conditions.not_checked");
    } finally {
      checking = undefined;
    }
  }

  return {
    check,
    start() {
      if (database.isShared) schedule = every({ clock, pattern: twiceAMinute, run });
    },
    async stop() {
      schedule?.stop();
      await checking?.catch(() => {});
    },
  };
}
