import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { system } from "../../src/access/audit/actor.ts";
import { openApi, type Api } from "../support/api.ts";

let api: Api;
let url: string;
beforeEach(() => {
  api = openApi({ server: { publicUrlIsDefault: true, trustedProxies: ["127.0.0.1/32", "10.0.0.0/8"] } });
  url = api.server.listen().url;
});
afterEach(async () => {
  await api.server.stop();
  await api.traps.stop();
  api.dispose();
});

describe("over a socket", () => {
  test("a visitor behind proxies is who the nearest trusted one says", async () => {
    const { id, address } = api.traps.tokens.create({ kind: "url" }, system);
    const headers = { "x-forwarded-for": "1.1.1.1, 198.51.100.7, 10.1.2.3" };
    expect((await fetch(`${url}/t/${address}`, { headers })).status).toBe(404);
    await api.traps.stop();
    expect(api.traps.hits.list(id, { limit: 9 })).toMatchObject([{ ipAddress: "198.51.100.7" }]);
  });

  test("HEAD counts and has no body, other methods of a beacon are nothing, and no answer tells what this is", async () => {
    const token = api.traps.tokens.create({ kind: "pixel" }, system);
    const beacon = api.traps.beacons.create({ protectedDomain: "example-bank.com" }, system);
    const head = await fetch(`${url}/t/${token.address}.gif`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "image/gif",
      "",
    ]);
    for (const method of ["HEAD", "POST", "PUT", "OPTIONS"])
      expect((await fetch(`${url}/b/${beacon.address}`, { method })).status).toBe(404);
    for (const path of [`/t/${token.address}`, "/t/nothing", `/b/${beacon.address}?u=https://evil.top/`]) {
      const answer = await fetch(url + path);
      const told = JSON.stringify([...answer.headers]) + (await answer.text());
      expect(told).not.toMatch(/phishwatch|x-request-id|docs|beacon|token|set-cookie/i);
    }
    await api.traps.stop();
    expect(api.traps.hits.counts(token.id)).toMatchObject([{ total: 2 }]);
    expect(api.traps.hits.counts(beacon.id)).toMatchObject([{ class: "foreign", total: 1 }]);
  });

  test("visits are told in the metrics, and by route", async () => {
    const { address } = api.traps.tokens.create({ kind: "pixel" }, system);
    await fetch(`${url}/t/${address}`);
    await api.traps.stop();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('phishwatch_trap_visits_total{outcome="recorded"} 1');
    expect(text).toContain('route="/t/*",method="GET",status="200"} 1');
    expect(text).not.toContain(address);
    expect(api.logged.join("")).not.toContain(address);
  });

  test("the route in the metrics follows the path's first segment, whatever comes after it", async () => {
    const { address: token } = api.traps.tokens.create({ kind: "pixel" }, system);
    const beacon = api.traps.beacons.create({ protectedDomain: "example-bank.com" }, system);
    await fetch(`${url}/t/${token}/b/salaries.xlsx?from=/b/`);
    await fetch(`${url}/b/${beacon.address}?u=https://example-bank.com/t/`);
    await fetch(`${url}/b`);
    await api.traps.stop();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('route="/t/*",method="GET",status="200"} 1');
    expect(text).toContain('route="/b/*",method="GET",status="200"} 1');
    expect(text).toContain('route="/b/*",method="GET",status="404"} 1');
  });
});
