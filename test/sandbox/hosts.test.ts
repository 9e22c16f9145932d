import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSandbox } from "../support/sandbox.ts";
import { sendRaw } from "../support/raw-request.ts";

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
let port: number;
beforeAll(async () => {
  sandbox = await openSandbox({ empty: true });
  port = Number(new URL(sandbox.ready.url).port);
});
afterAll(() => sandbox.stop());

test.each(["", "1.2.3.4.5", "a:99999", "xn--", "a b"])(
  "the sandbox rejects the invalid Host %p with 400 and logs nothing",
  async (host) => {
    for (const target of ["/sandbox", "/console/x?access_token=SECRETKEY", "/v1/threats", "/metrics"])
      expect([target, (await sendRaw(port, { target, host })).status]).toEqual([target, 400]);
    expect(sandbox.logLines).toEqual([]);
  },
);

test("the sandbox rejects a path with a backslash or a dot segment", async () => {
  for (const target of ["/x\\..\\sandbox", "/t/..\\metrics", "/v1/../sandbox"])
    expect([target, (await sendRaw(port, { target })).status]).toEqual([target, 400]);
});

test("every response carries X-Request-Id, also those of the control plane and to rejected requests", async () => {
  for (const target of ["/v1/threats", "/v1/../sandbox", "/sandbox", "/sandbox/nothing", "/nothing"]) {
    const { head } = await sendRaw(port, { target, headers: ["X-Request-Id: caller-1"] });
    expect([target, head.toLowerCase()]).toEqual([
      target,
      expect.stringContaining("\r\nx-request-id: caller-1"),
    ]);
    const { head: own } = await sendRaw(port, { target, host: "evil.example" });
    expect([target, own.toLowerCase()]).toEqual([
      target,
      expect.stringMatching(/\r\nx-request-id: [\w-]{36}/),
    ]);
  }
});

test("the sandbox responds under a local name, and without a Host", async () => {
  for (const host of ["sandbox", "host.docker.internal", null])
    expect((await sendRaw(port, { target: "/metrics", host })).status).toBe(200);
});
