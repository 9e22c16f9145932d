import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { openApi, type Api } from "../../support/api.ts";

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
  test("a visitor behind trusted proxies has the nearest address that is not trusted", async () => {
    const { id, address } = api.traps.of(honeytoken).create({ kind: "url" }, { by: system });
    const headers = { "x-forwarded-for": "1.1.1.1, 198.51.100.7, 10.1.2.3" };
    expect((await fetch(`${url}/t/${address}`, { headers })).status).toBe(404);
    await api.traps.stop();
    expect(api.traps.visits.list(id, { limit: 9 })).toMatchObject([{ ipAddress: "198.51.100.7" }]);
  });

  test("HEAD is recorded and has no body, a beacon accepts only GET, and no response reveals a trap", async () => {
    const token = api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
    const bcn = api.traps.of(beacon).create({ protectedDomain: "example-bank.com" }, { by: system });
    const head = await fetch(`${url}/t/${token.address}.gif`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "image/gif",
      "",
    ]);
    for (const method of ["HEAD", "POST", "PUT", "OPTIONS"])
      expect((await fetch(`${url}/b/${bcn.address}`, { method })).status).toBe(404);
    for (const path of [`/t/${token.address}`, "/t/nothing", `/b/${bcn.address}?u=https://evil.top/`]) {
      const response = await fetch(url + path);
      const revealed = JSON.stringify([...response.headers]) + (await response.text());
      expect(revealed).not.toMatch(/phishwatch|docs|beacon|token|set-cookie/i);
    }
    await api.traps.stop();
    expect(api.traps.visits.totals(token.id)).toMatchObject([{ total: 2 }]);
    expect(api.traps.visits.totals(bcn.id)).toMatchObject([{ class: "foreign", total: 1 }]);
  });

  test("the metrics count visits by outcome and by route, without addresses", async () => {
    const { address } = api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
    await fetch(`${url}/t/${address}`);
    await api.traps.stop();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('phishwatch_trap_visits_total{outcome="recorded"} 1');
    expect(text).toContain('route="/t/*",method="GET",status="200"} 1');
    expect(text).not.toContain(address);
    expect(api.logged.join("")).not.toContain(address);
  });

  test("the route in the metrics follows the path's first segment, whatever comes after it", async () => {
    const { address: token } = api.traps.of(honeytoken).create({ kind: "pixel" }, { by: system });
    const bcn = api.traps.of(beacon).create({ protectedDomain: "example-bank.com" }, { by: system });
    await fetch(`${url}/t/${token}/b/salaries.xlsx?from=/b/`);
    await fetch(`${url}/b/${bcn.address}?u=https://example-bank.com/t/`);
    await fetch(`${url}/b`);
    await api.traps.stop();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('route="/t/*",method="GET",status="200"} 1');
    expect(text).toContain('route="/b/*",method="GET",status="200"} 1');
    expect(text).toContain('route="/b/*",method="GET",status="404"} 1');
  });
});
