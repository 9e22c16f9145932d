import { afterEach, beforeEach, expect, test } from "bun:test";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { ownHosts } from "../../../src/response/traps/kinds/beacon/details.ts";
import { beaconSnippets } from "../../../src/response/traps/kinds/beacon/snippets.ts";
import { openTrapWorld, type TrapWorld } from "../../support/traps.ts";

let world: TrapWorld;
beforeEach(() => void (world = openTrapWorld()));
afterEach(() => world.dispose());

test("a beacon belongs to a protected domain, after which it is named", () => {
  expect(() => world.createBeacon({ protectedDomain: "other.com" })).toThrow("not a protected domain");
  const created = world.createBeacon({ allow: ["Bücher.example", "partner.test"] });
  expect(ownHosts(created)).toEqual(["example-bank.com", "xn--bcher-kva.example", "partner.test"]);
  expect(created.name).toBe("example-bank.com");
  expect(world.createBeacon().name).toBe("example-bank.com 2");
});

test("the script stays below 1 KB and contains none of the names", () => {
  const created = world.createBeacon({ allow: ["Bücher.example", "partner.test"] });
  const { script, style } = beaconSnippets(`https://traps.test/b/${created.address}`, ownHosts(created));
  expect(script.length).toBeLessThan(1_024);
  for (const name of [...ownHosts(created), "example-bank"]) expect(script + style).not.toContain(name);
  const allow = Array.from({ length: 40 }, (_, index) => `partner-${index}.example`);
  const many = world.createBeacon({ allow });
  const longUrl = `https://${"a".repeat(60)}.test/b/${many.address}`;
  expect(beaconSnippets(longUrl, ownHosts(many)).script.length).toBeLessThan(1_024);
});

test("a beacon keeps its address", () => {
  const { id, address } = world.createBeacon();
  const beacons = world.traps.of(beacon);
  expect(() => beacons.rotate(id, { watchOld: false, by: system })).toThrow("keeps its address");
  expect(beacons.get(id).address).toBe(address);
});

test("names are unique within a kind, and none may look like an identifier", () => {
  world.createBeacon({ name: "wiki" });
  expect(world.createHoneytoken({ kind: "url", name: "wiki" }).name).toBe("wiki");
  expect(() => world.createBeacon({ name: "wiki" })).toThrow("already a beacon wiki");
  for (const name of ["bcn_1", "tok_1", "", "a\u202eb"])
    expect(() => world.createBeacon({ name })).toThrow("A name must have");
});
