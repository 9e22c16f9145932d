import { afterEach, expect, test } from "bun:test";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks } from "../../support/webhooks.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Sends three events one after another. Calls `breakReads` while the first is in flight, and `repair` after it. */
async function deliverWhile({ breakReads, repair }: { breakReads: string; repair: string }) {
  const first = Promise.withResolvers<void>();
  const receiver = startReceiver(async (_request, count) => {
    if (count === 1) await first.promise;
    return new Response("ok");
  });
  cleanup.push(receiver.stop);
  const webhooks = openWebhooks({ endpointConcurrency: 1 });
  cleanup.push(() => webhooks.dispose());
  webhooks.endpoints.add({ url: receiver.url });
  const events = [webhooks.record(), webhooks.record(), webhooks.record()];
  webhooks.dispatcher.start();
  await until(() => receiver.received.length === 1, "the first attempt is in flight");
  webhooks.database.sqlite.run(breakReads);
  first.resolve();
  const stalled = () => webhooks.logLines.some((line) => line.includes("delivery stalled"));
  await until(stalled, "the error is logged");
  webhooks.database.sqlite.run(repair);
  await until(() => receiver.received.length === 3, "all events have arrived");
  expect(receiver.eventIds()).toEqual(events);
  await until(() => webhooks.log.list({ status: "succeeded" }, 9).length === 3, "all results are recorded");
}

test("An error while the next message is read after an attempt neither ends the process nor loses a delivery", async () => {
  await deliverWhile({
    breakReads: "alter table events rename to events_aside",
    repair: "alter table events_aside rename to events",
  });
});
