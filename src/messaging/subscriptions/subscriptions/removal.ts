import { eq } from "drizzle-orm";
import type { Actor } from "../../../access/audit/actor.ts";
import { isDeclared } from "../../../platform/config/declared.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Dependents } from "../../deliveries/administration/recipient-administration.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import type { SubscriptionAudit } from "./audit.ts";
import type { SubscriptionStore } from "./store.ts";
import { subscriptions } from "./tables.ts";
import type { SubscriptionWriter } from "./writer.ts";

/** Removes subscriptions, with everything that waits for them, in several transactions. */
export function createRemoval({
  audit,
  database,
  onChanged,
  store,
  writer,
}: {
  audit: SubscriptionAudit;
  database: Database;
  onChanged: () => void;
  store: SubscriptionStore;
  writer: SubscriptionWriter;
}) {
  async function remove(key: string, { by }: { by: Actor }): Promise<void> {
    const removed = await database.write(() => {
      const found = store.get(key);
      // A subscription that is no longer declared belongs to nobody, so it can be removed here.
      if (isDeclared(found)) store.editable(key);
      return writer.update(found, writer.disabledState(found, "operator"));
    });
    await store.clear(removed);
    await database.write(
      () => {
        database.query.delete(subscriptions).where(eq(subscriptions.seq, removed.seq)).run();
        audit.removed(by, removed);
        database.afterCommit(onChanged);
      },
      { patient: true },
    );
  }

  const listOf = (channelSeq: number) =>
    store.list().filter(({ recipientSeq }) => recipientSeq === channelSeq);
  /** Subscriptions of a channel that is being removed. */
  const ofChannel: Dependents = {
    checkRemovable(channelSeq) {
      const declared = listOf(channelSeq).find(isDeclared);
      if (declared !== undefined)
        throw badRequest(
          `its subscription ${declared.name} is declared in the configuration file; remove it there first`,
        );
    },
    async remove(channelSeq, options) {
      for (const { id } of listOf(channelSeq)) await remove(id, options);
    },
  };

  return { remove, ofChannel };
}
