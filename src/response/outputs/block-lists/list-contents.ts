import type { Needs } from "../../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { createContentBuilder, type ContentBuilder } from "./list-content.ts";
import { createDomainView, type DomainView } from "./domain-view.ts";
import type { List, ListContent } from "./list.ts";
import type { ListStore } from "./list-store.ts";
import { createMatchingThreats } from "./matching-threats.ts";
import { nextChange } from "./serial.ts";

interface Followed {
  builder: ContentBuilder;
  /** Domains, and filter and token, of the builder. With others, another builder is needed. */
  domains: DomainView;
  filter: string;
  content: ListContent | undefined;
  builtAt: Instant;
  expiresAt: Instant;
  running: Promise<ListContent> | undefined;
  /** The build after the running one, which has not begun. */
  next: Promise<ListContent> | undefined;
}

/** Threats in memory over all lists, about 700 bytes each. Beyond it, the list that was not used for the longest time is read again. */
const threatsInMemoryMax = 500_000;

/**
 * Provides the present content of lists: a decision on a threat is in effect for the next call.
 * @param version of the program: another one may render the same names differently
 */
export function createListContents({
  clock,
  database,
  domains,
  log,
  store,
  version,
  yielder,
}: Needs<"clock" | "database" | "log" | "yielder"> & {
  domains: Pick<ProtectedDomains, "list" | "onChange">;
  store: Pick<ListStore, "publish">;
  version: string;
}) {
  const view = createDomainView({ database, domains });
  /** The most recently used list is the last one. */
  const followed = new Map<number, Followed>();

  function follow(list: List): Followed {
    const current = view();
    const filter = filterOf(list);
    let found = followed.get(list.seq);
    if (found?.domains !== current || found.filter !== filter) {
      const matching = createMatchingThreats({ database, filter: list });
      const builder = createContentBuilder({
        domains: current,
        filter: list,
        matching,
        secret: list.token,
        version,
      });
      const unbuilt = { content: undefined, builtAt: 0, expiresAt: 0, running: undefined, next: undefined };
      found = { builder, domains: current, filter, ...unbuilt };
    }
    followed.delete(list.seq);
    followed.set(list.seq, found);
    return found;
  }

  /** Returns the content if it still holds. The clock may have been set back since it was built. */
  function heldContent({ builder, builtAt, content, expiresAt }: Followed): ListContent | undefined {
    const now = clock.now();
    return now < expiresAt && now >= builtAt && builder.isCurrent() ? content : undefined;
  }

  async function build(list: List, target: Followed): Promise<ListContent> {
    const held = heldContent(target);
    if (held !== undefined) return held;
    const now = clock.now();
    const { rows, allowed, digest, expiresAt } = await target.builder.build(now, yielder());
    const { content: before } = target;
    const changedAt = await publish(list, { digest, names: rows.length }, before);
    const isSame = before?.digest === digest && before.changedAt === changedAt;
    const content = isSame ? before : { rows, allowed, digest, changedAt };
    Object.assign(target, { content, builtAt: now, expiresAt });
    forgetSome(followed, list.seq);
    return content;
  }

  /** Stores the time of the change, so that it increases across restarts. Returns it. */
  async function publish(
    list: List,
    content: { digest: string; names: number },
    before: ListContent | undefined,
  ): Promise<Instant> {
    // Later than the stored time after a write that failed.
    const after = Math.max(list.contentChangedAt, before?.changedAt ?? 0);
    try {
      const changedAt = await database.write(() => store.publish(list.seq, { ...content, after }));
      if (changedAt !== undefined) return changedAt;
    } catch (error) {
      // A full disk or a lock of another process: the list is more important than its time.
      logDropped(log, error, "list.change_not_stored");
    }
    return before?.digest === content.digest ? after : nextChange(after, clock.now());
  }

  return {
    /** Builds one after another. Calls during a build share the next one, which sees everything before them. */
    content(list: List): Promise<ListContent> {
      const target = follow(list);
      const held = target.running === undefined ? heldContent(target) : undefined;
      if (held !== undefined) return Promise.resolve(held);
      target.next ??= (target.running ?? Promise.resolve())
        .catch(() => {})
        .then(() => {
          target.next = undefined;
          target.running = build(list, target).finally(() => (target.running = undefined));
          return target.running;
        });
      return target.next;
    },
    /** Frees the memory of a list that was removed. */
    forget: ({ seq }: List) => void followed.delete(seq),
  };
}

function filterOf(list: List): string {
  const { statuses, minSeverity, verifiedOnly, protectedDomains, maxAgeMs, token } = list;
  return JSON.stringify([statuses, minSeverity, verifiedOnly, protectedDomains, maxAgeMs, token]);
}

/** @param seq of the list that is in use */
function forgetSome(followed: Map<number, Followed>, seq: number): void {
  let total = 0;
  for (const { builder } of followed.values()) total += builder.size;
  for (const [other, { builder, next, running }] of followed) {
    if (total <= threatsInMemoryMax) return;
    if (other === seq || running !== undefined || next !== undefined) continue;
    followed.delete(other);
    total -= builder.size;
  }
}
