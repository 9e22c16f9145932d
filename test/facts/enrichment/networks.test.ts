import { afterEach, beforeEach, expect, test } from "bun:test";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import type { NetworkResult } from "../../../src/facts/lookups/network/network-lookup.ts";
import {
  existing,
  hosted,
  openEnrichment,
  plainPage,
  type OpenEnrichment,
} from "../../support/enrichment.ts";
import { analyst } from "../../support/stores.ts";

const domain = "examp1e-bank.com";
const minuteMs = 60_000;
const networkOf = (organization: string): NetworkResult =>
  hosted.ok ? { ok: true, network: { ...hosted.network, organization } } : hosted;

let opened: OpenEnrichment;
beforeEach(() => void (opened = openEnrichment()));
afterEach(() => opened.dispose());

test("The networks of a live page are looked up once, stored with their source, and again when the address changes", async () => {
  const { clock, enrichment, networksAsked, pass, threats, world } = opened;
  const id = opened.sight(domain);
  enrichment().start();
  world.existence = { ...existing, addresses: ["192.0.2.7", "192.0.2.8"] };
  await pass(0);
  expect(networksAsked()).toEqual(["192.0.2.7", "192.0.2.8"]);
  const { networks, networksAt, unknown } = enrichment().factsOf(id)!.facts;
  expect(networks).toMatchObject([
    {
      addresses: ["192.0.2.7", "192.0.2.8"],
      organization: "Example Host LLC",
      abuseEmail: "abuse@example-host.example",
      url: "https://rdap.registry.example/ip/192.0.2.7",
    },
  ]);
  expect(unknown.networks).toBeUndefined();
  expect(networksAt).toBeLessThanOrEqual(clock.now());

  // The order of the addresses changes, and then one of them.
  world.existence = { ...existing, addresses: ["192.0.2.8", "192.0.2.7"] };
  await pass(dayMs);
  expect(networksAsked()).toEqual([]);
  world.existence = { ...existing, addresses: ["198.51.100.1"] };
  world.network = networkOf("Other Host");
  await pass(2 * dayMs);
  expect(networksAsked()).toEqual(["198.51.100.1"]);
  expect(enrichment().factsOf(id)!.facts.networks).toMatchObject([
    { addresses: ["198.51.100.1"], organization: "Other Host" },
  ]);
  const changes = threats.history(id).filter(({ field }) => field === "network");
  expect(changes).toMatchObject([
    { before: "Example Host LLC", after: "Other Host" },
    { before: null, after: "Example Host LLC" },
  ]);
});

test("A failed lookup is repeated, and meanwhile the networks that are known stay", async () => {
  const { enrichment, networksAsked, pass, world } = opened;
  const id = opened.sight(domain);
  enrichment().start();
  world.network = { ok: false, reason: "rdap.registry.example: HTTP status 500" };
  await pass(0);
  expect(networksAsked()).toEqual(["192.0.2.7"]);
  expect(enrichment().factsOf(id)!.facts).toMatchObject({
    unknown: { networks: expect.stringContaining("500") },
  });
  world.network = (address) =>
    address === "192.0.2.7" ? networkOf("Example Host LLC") : { ok: false, reason: "no response" };
  world.existence = { ...existing, addresses: ["192.0.2.7", "198.51.100.1"] };
  await pass(6 * minuteMs);
  expect(networksAsked()).toEqual(["192.0.2.7"]);
  expect(enrichment().factsOf(id)!.facts.unknown.networks).toBeUndefined();
  await pass(dayMs);
  expect(enrichment().factsOf(id)!.facts).toMatchObject({
    networks: [{ addresses: ["192.0.2.7"] }],
    unknown: { networks: "no response" },
  });
});

test("Nothing is looked up for names without a page and for false positives, until a person requests it", async () => {
  const { enrichment, networksAsked, pass, threats, world } = opened;
  world.page = { ok: false, reason: "refused" };
  const id = opened.sight(domain);
  enrichment().start();
  await pass(0);
  world.page = { ok: true, page: plainPage };
  threats.changeStatus([opened.sight("examp1e-bank.net")], "false_positive", { by: analyst });
  await pass(0);
  expect(networksAsked()).toEqual([]);

  expect(await enrichment().requestNetworks(id)).toBe(true);
  await pass(0);
  expect(networksAsked()).toEqual(["192.0.2.7"]);
  expect(await enrichment().requestNetworks(id)).toBe(false);
  expect(await enrichment().requestNetworks("thr_unknown")).toBe(false);
});

test("Nothing is looked up while registration data is off, not even on request", async () => {
  await opened.dispose();
  opened = openEnrichment({ enabledLookups: { names: true, registration: false } });
  const id = opened.sight(domain);
  opened.enrichment().start();
  await opened.pass(0);
  expect(await opened.enrichment().requestNetworks(id)).toBe(false);
  await opened.pass(0);
  expect(opened.networksAsked()).toEqual([]);
});
