import { expect, test } from "bun:test";
import { createRelease } from "../../../src/messaging/deliveries/store/release.ts";
import { openWebhooks } from "../../support/webhooks.ts";

const now = Date.UTC(2026, 0, 15);
const later = now + 3_600_000;
const count = 3_500;

test("A shutdown ends the release of many held deliveries early, and the next start continues it", async () => {
  await using cleanup = new AsyncDisposableStack();
  const webhooks = openWebhooks({ breaker: true });
  cleanup.defer(() => webhooks.dispose());
  webhooks.endpoints.add({ url: "http://127.0.0.1:9/hook" });
  const { sqlite } = webhooks.database;
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  sqlite.run(
    `${numbers} insert into events (id, type, body, created_at, dispatched_at)
     select 'evt_' || n, 'threat.created', '{}', ${now}, ${now} from numbers`,
  );
  sqlite.run(
    `insert into deliveries (id, event_seq, recipient_seq, status, attempts, next_attempt_at, created_at)
     select 'dlv_' || seq, seq, (select seq from recipients), 'pending', 3, ${later}, ${now} from events`,
  );
  sqlite.run(`update recipients set next_probe_at = ${later}, consecutive_failures = 0`);
  const due = () =>
    sqlite
      .query<{ n: number }, []>(
        `select count(*) as n from deliveries where next_attempt_at = ${now} and attempts = 0`,
      )
      .get()!.n;

  const stopped = createRelease({ database: webhooks.database, settings: { breaker: true } });
  const [recipient] = stopped.recovered();
  let steps = 0;
  await stopped.run(recipient!, { now, isStopping: () => (steps += 1) > 1 });
  expect(due()).toBe(1_000);

  const restarted = createRelease({ database: webhooks.database, settings: { breaker: true } });
  expect(restarted.recovered()).toEqual([recipient!]);
  await restarted.run(recipient!, { now, isStopping: () => false });
  expect(due()).toBe(count);
  expect(restarted.recovered()).toEqual([]);
});
