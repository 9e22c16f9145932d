import { afterEach, beforeEach, expect, test } from "bun:test";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { honeytoken } from "../../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { trapVisits } from "../../../src/response/traps/visits/tables.ts";
import { openTrapWorld, type TrapWorld } from "../../support/traps.ts";

let world: TrapWorld;
beforeEach(() => void (world = openTrapWorld()));
afterEach(() => world.dispose());

test("every address without a live trap returns the same 404", async () => {
  const { stores, traps } = world;
  const { id, address } = world.createBeacon();
  const token = world.createHoneytoken({ kind: "pixel" });
  const expired = world.createHoneytoken({ kind: "pixel", expiresAt: stores.clock.now() + 1_000 });
  const plain = world.createHoneytoken({ kind: "url" });
  traps.of(beacon).setEnabled(id, false, { by: system });
  traps.of(honeytoken).setEnabled(token.id, false, { by: system });
  stores.clock.advance(1_000);
  const unknown = "abcdefghijklmnopqrstuvwxyz";
  const paths = [
    "/b",
    "/t",
    "/b/",
    "/t/",
    "/b/x",
    "/t/x",
    "/t/%zz",
    `/b/${unknown}`,
    `/t/${unknown}`,
    `/c/${unknown}`,
    `/b/${address}`,
    `/t/${token.address}`,
    `/t/${expired.address}`,
    // Addresses of the other kind.
    `/b/${token.address}`,
    `/t/${address}`,
  ];
  // The last one is live and pretends not to exist.
  const responses = await Promise.all(
    [...paths, `/t/${plain.address}`]
      .flatMap((path) => [world.request(path), world.request(path, { method: "POST" })])
      .map(async (response) => [response.status, [...response.headers], await response.text()]),
  );
  for (const response of responses) expect(response).toEqual(responses[0]!);
  expect(responses[0]![0]).toBe(404);
  await world.restart();
  expect(stores.database.query.select().from(trapVisits).all()).toMatchObject([
    { trapId: plain.id, count: 2 },
  ]);
});

test("an enabled trap of one kind does not respond at an address of another kind", async () => {
  const bcn = world.createBeacon();
  const token = world.createHoneytoken({ kind: "pixel" });
  expect(world.request(`/t/${bcn.address}`).status).toBe(404);
  expect(world.request(`/b/${token.address}`).status).toBe(404);
  expect(world.request(`/b/${bcn.address}`).status).toBe(200);
  expect(world.request(`/t/${token.address}`).status).toBe(200);
});

test("addresses have 128 random bits", () => {
  const addresses = Array.from({ length: 200 }, () => world.createHoneytoken({ kind: "url" }).address);
  expect(new Set(addresses).size).toBe(200);
  for (const address of addresses) expect(address).toMatch(/^[a-z2-7]{26}$/);
  for (let place = 0; place < 25; place += 1)
    expect(new Set(addresses.map((address) => address[place])).size).toBeGreaterThan(16);
});
