import { createHmac } from "node:crypto";
import { afterEach, expect, test } from "bun:test";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks } from "../../support/webhooks.ts";

// Changes that a command makes while a server delivers. The server's clock stands still, so it polls for nothing.

const clock = manualClock();
const server = () => openWebhooks({ clock, endpointConcurrency: 1, retryDelaysMs: [60_000] });
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Starts a server with the endpoint "soc", to which one delivery has succeeded, and opens a command beside it. */
async function deliver(respond?: Parameters<typeof startReceiver>[0]) {
  const receiver = startReceiver(respond);
  cleanup.push(() => receiver.stop());
  const serving = server();
  cleanup.push(() => serving.dispose());
  serving.endpoints.add({ url: receiver.url, name: "soc" });
  serving.dispatcher.start();
  serving.record();
  await serving.dispatcher.settled();
  expect(receiver.received).toHaveLength(1);
  const command = openWebhooks({ clock, folder: serving.folder });
  cleanup.push(() => command.close());
  return { command, receiver, serving };
}

test("a secret that a command has rotated signs every later request", async () => {
  const { command, receiver, serving } = await deliver();
  const { secret } = command.endpoints.rotate("soc");
  serving.record();
  await until(() => receiver.received.length === 2, "it is sent");
  const { body, headers } = receiver.received[1]!;
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  expect(headers["x-service-signature"]).toBe(`sha256=${signature}`);
  // The previous secret signs as well.
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
});

test("a URL that a command has changed receives every later request", async () => {
  const { command, receiver, serving } = await deliver();
  command.endpoints.change("soc", { url: receiver.url.replace("/hook", "/other") });
  serving.record();
  await until(() => receiver.received.length === 2, "it is sent");
  expect(receiver.received[1]!.path).toBe("/other");
});

test.each(["disable", "remove"] as const)(
  "after a command to %s an endpoint, no request starts, not even for a delivery that was read ahead",
  async (action) => {
    const response = Promise.withResolvers<Response>();
    const { command, receiver, serving } = await deliver((_, count) =>
      count === 1 ? 200 : response.promise,
    );
    for (let count = 0; count < 3; count += 1) serving.record();
    await until(() => receiver.received.length === 2, "the first of them is in flight");
    await command.endpoints[action]("soc");
    response.resolve(new Response("ok"));
    await serving.dispatcher.settled();
    expect(receiver.received).toHaveLength(2);
  },
);
