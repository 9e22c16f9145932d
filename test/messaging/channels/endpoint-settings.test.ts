import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type net from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { createAuthority, issue } from "../../support/certificates.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks } from "../../support/webhooks.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function open(...options: Parameters<typeof openWebhooks>) {
  const webhooks = openWebhooks(...options);
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  return webhooks;
}

function receive(...parameters: Parameters<typeof startReceiver>) {
  const receiver = startReceiver(...parameters);
  cleanup.push(receiver.stop);
  return receiver;
}

test("custom headers are sent and cannot replace the headers that sign or frame a delivery", async () => {
  const receiver = receive();
  const webhooks = open();
  webhooks.endpoints.add({
    url: receiver.url,
    headers: { Authorization: "Bearer x", "X-Team": "soc" },
  });
  webhooks.record();
  await until(() => receiver.received.length === 1, "delivered");
  const { headers } = receiver.received[0]!;
  expect(headers).toMatchObject({ authorization: "Bearer x", "x-team": "soc" });
  for (const name of [
    "content-type",
    "USER-AGENT",
    "Host",
    "Transfer-Encoding",
    "webhook-id",
    "X-Service-Signature",
  ])
    expect(() => webhooks.endpoints.add({ url: receiver.url, headers: { [name]: "x" } })).toThrow(
      /set by phishwatch/,
    );
  expect(headers["x-service-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test("an endpoint's own concurrency limit applies", async () => {
  const waiting: ((response: Response) => void)[] = [];
  const receiver = receive(() => new Promise<Response>((resolve) => waiting.push(resolve)));
  const webhooks = open();
  webhooks.endpoints.add({ url: receiver.url, concurrency: 2 });
  for (let index = 0; index < 20; index += 1) webhooks.record();
  for (let responded = 0; responded < 20; responded += 2) {
    await until(() => waiting.length === 2, "as many as are allowed");
    for (const respond of waiting.splice(0)) respond(new Response());
  }
  await webhooks.dispatcher.settled();
  expect(receiver.received).toHaveLength(20);
  expect(receiver.underWayMost()).toBe(2);
});

test("a rate limit spaces attempts and delays no other endpoint", async () => {
  const clock = manualClock();
  const receiver = receive();
  const webhooks = open({ clock });
  webhooks.endpoints.add({ url: receiver.url, ratePerSecond: 2 });
  webhooks.endpoints.add({ url: receiver.url.replace("/hook", "/free") });
  for (let index = 0; index < 10; index += 1) webhooks.record();
  const limited = () => receiver.received.filter(({ path }) => path === "/hook").length;
  await until(() => receiver.received.length - limited() === 10, "the free one has all");
  const counts = [];
  for (let step = 0; step < 10; step += 1) {
    await webhooks.dispatcher.settled();
    counts.push(limited());
    clock.advance(500);
  }
  expect(counts.every((total, step) => total <= step + 2)).toBe(true);
  await until(() => limited() === 10, "all in the end");
});

test("both secrets sign during a rotation, and only the new one afterward", async () => {
  const clock = manualClock();
  const receiver = receive();
  const webhooks = open({ clock });
  webhooks.endpoints.add({ url: receiver.url, name: "soc" });
  webhooks.endpoints.rotate("soc");
  webhooks.record();
  await until(() => receiver.received.length === 1, "during");
  clock.advance(24 * 3_600_000);
  webhooks.record();
  await until(() => receiver.received.length === 2, "after");
  const signatures = receiver.received.map(({ headers }) => headers["webhook-signature"]!.split(" ").length);
  expect(signatures).toEqual([2, 1]);
});

describe("certificates", () => {
  const authority = createAuthority();

  async function receiveSecurely(asksForCertificate: boolean) {
    const names: string[] = [];
    const own = issue(authority, ["127.0.0.1"]);
    const server = tls.createServer(
      {
        ...own,
        ca: [authority.cert],
        requestCert: asksForCertificate,
        rejectUnauthorized: asksForCertificate,
      },
      (socket) => {
        socket.on("error", () => {});
        names.push(String(socket.getPeerCertificate().subject?.CN ?? "none"));
        socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
      },
    );
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.push(() => server.close());
    return { url: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}/`, names };
  }

  test("certificates are read from files, and again when the files change", async () => {
    const folder = temporaryFolder();
    cleanup.push(folder.dispose);
    const path = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const first = issue(authority, ["first.test"]);
    const receiver = await receiveSecurely(true);
    const webhooks = open({ allowHttp: false });
    const { endpoint } = webhooks.endpoints.add({
      url: receiver.url,
      caFile: path("ca.pem", authority.cert),
      clientCertFile: path("cert.pem", first.cert),
      clientKeyFile: path("key.pem", first.key),
    });
    expect(await webhooks.ping(endpoint)).toMatchObject({ statusCode: 200, failure: null });
    const second = issue(authority, ["second.test"]);
    path("cert.pem", second.cert);
    path("key.pem", second.key);
    expect(await webhooks.ping(endpoint)).toMatchObject({ statusCode: 200, failure: null });
    expect(receiver.names).toEqual(["first.test", "second.test"]);
    path("ca.pem", "no certificate");
    expect(await webhooks.ping(endpoint)).toMatchObject({
      failure: "tls",
      error: expect.stringContaining("ca.pem cannot be used"),
    });
  });

  test("webhooks.ca_file is trusted for all endpoints, and without it the delivery fails as `tls`", async () => {
    const folder = temporaryFolder();
    cleanup.push(folder.dispose);
    writeFileSync(join(folder.path, "ca.pem"), authority.cert);
    const receiver = await receiveSecurely(false);
    const trusting = open({ caFile: join(folder.path, "ca.pem") });
    const added = trusting.endpoints.add({ url: receiver.url });
    expect(await trusting.ping(added.endpoint)).toMatchObject({ statusCode: 200 });
    const strict = open();
    const refused = strict.endpoints.add({ url: receiver.url });
    expect(await strict.ping(refused.endpoint)).toMatchObject({
      failure: "tls",
      statusCode: null,
    });
  });

  test("adding an endpoint with an unusable certificate fails with the name of the file", () => {
    const webhooks = open();
    const url = "https://soc.example/";
    expect(() => webhooks.endpoints.add({ url, caFile: "/nowhere/ca.pem" })).toThrow(
      /\/nowhere\/ca\.pem cannot be used/,
    );
    expect(() => webhooks.endpoints.add({ url, clientCertFile: "/nowhere/cert.pem" })).toThrow(/needs both/);
    expect(webhooks.endpoints.list()).toEqual([]);
  });
});
