import { afterEach, describe, expect, test } from "bun:test";
import {
  createCampaignFollower,
  type CampaignFollower,
} from "../../../../src/response/cases/campaigns/follower.ts";
import { openCampaigns } from "../../../../src/response/cases/campaigns/open-campaigns.ts";
import type { ReasonCode } from "../../../../src/response/cases/grouping/reasons.ts";
import { nothingKnown, type Facts } from "../../../../src/facts/enrichment/facts/facts.ts";
import { mergeFacts } from "../../../../src/facts/enrichment/facts/merge-facts.ts";
import { createOriginalMarks } from "../../../../src/facts/enrichment/facts/originals.ts";
import { createSettings } from "../../../../src/access/settings/settings.ts";
import { enrichments } from "../../../../src/facts/enrichment/tables.ts";
import { createForeground, createYielder } from "../../../../src/platform/lib/yielder.ts";
import { openDatabase } from "../../../../src/platform/database/database.ts";
import { phishingPage } from "../../../support/phishing-page.ts";
import { randomFrom, seed } from "../../../support/random.ts";
import { analyst, openStores, type Stores } from "../../../support/stores.ts";
import { eq } from "drizzle-orm";

const open: { dispose(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.dispose();
});

/** Stores and campaigns over one database file. The sources of facts are the tests themselves. */
function openWorld() {
  const stores = openStores();
  open.push(stores);
  return { ...stores, ...start(stores) };
}

function start(stores: Pick<Stores, "clock" | "database" | "log">) {
  const campaigns = openCampaigns({
    ...stores,
    foreground: createForeground(),
    yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
  });
  campaigns.start();
  open.unshift({ dispose: () => void campaigns.stop() });
  return { campaigns };
}

/** Records a threat with facts as lookups store them. Returns its `seq` and id. */
function addThreat(
  { database, threats }: Pick<Stores, "database" | "threats">,
  domain: string,
  facts: Partial<Facts> = {},
  protectedDomain = "example-bank.com",
) {
  const [recorded] = threats.record([
    {
      domain,
      match: { protectedDomain, type: "typosquatting", similarity: 0.9, reasons: [] },
      source: "feed",
      seenAt: 0,
    },
  ]);
  const id = recorded!.threatId;
  const { seq } = database.sqlite
    .query<{ seq: number }, [string]>("select seq from threats where id = ?")
    .get(id)!;
  database.query
    .insert(enrichments)
    .values({
      threatSeq: seq,
      rank: 0,
      dueAt: 0,
      step: 0,
      failures: 0,
      screenshotFailures: 0,
      facts: { ...nothingKnown, ...facts },
    })
    .run();
  return { seq, id };
}

function setFacts({ database }: Pick<Stores, "database">, seq: number, facts: Partial<Facts>): void {
  database.query
    .update(enrichments)
    .set({ facts: { ...nothingKnown, ...facts } })
    .where(eq(enrichments.threatSeq, seq))
    .run();
}

const page = { ...phishingPage, finalUrl: "https://example-bank.com/" };

const at = (address: string): Partial<Facts> => ({
  existence: { exists: "yes", addresses: [address], nameServers: [], mailServers: [], wildcard: false },
});

const joined = (
  campaigns: { of: (seq: number) => { number: number; size: number } | undefined },
  seq: number,
) => {
  const campaign = campaigns.of(seq);
  return campaign === undefined ? undefined : [campaign.number, campaign.size];
};

/** Opens a follower as a process does that starts. */
function openFollower(
  { clock, database }: Pick<Stores, "clock" | "database">,
  options: { program?: string; threatsMax?: number } = {},
) {
  const yielder = createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
  return createCampaignFollower({ clock, database, program: "0.5.0", yielder, ...options });
}

/** Calls `catchUp` until a call finds, after a minute, that nothing is new, not even the writes of the call before. */
async function catchUpFully({ catchUp }: CampaignFollower, { clock }: Pick<Stores, "clock">): Promise<void> {
  for (let call = 0; call < 4; call += 1) {
    await catchUp();
    clock.advance(60_000);
  }
}

/** Returns the numbers of the campaigns of all threats. */
function numbersIn({ database }: Pick<Stores, "database">): unknown[] {
  return database.sqlite.query("select campaign_seq from threats order by seq").values().flat();
}

describe("campaigns", () => {
  test("follow facts and decisions of any process, and say what the threats have in common", async () => {
    const world = openWorld();
    const { campaigns, threats } = world;
    const [one, two, three] = ["a", "b", "c"].map((name) => addThreat(world, `${name}-bank.net`));
    await campaigns.catchUp();
    expect(campaigns.total()).toBe(0);

    // Another process saves facts that no column of the threat shows.
    const other = openDatabase(world.path);
    setFacts({ database: other }, one!.seq, at("203.0.113.7"));
    setFacts({ database: other }, two!.seq, at("203.0.113.7"));
    other.close();
    await campaigns.catchUp();
    expect(campaigns.of(two!.seq)).toEqual({
      number: one!.seq,
      size: 2,
      score: 50,
      reasons: [
        { reason: "address" as ReasonCode, value: "203.0.113.7", threats: 2, seqs: [one!.seq, two!.seq] },
      ],
    });
    expect(campaigns.of(three!.seq)).toBeUndefined();
    expect(campaigns.jsonOf(one!.seq)).toEqual({
      number: one!.seq,
      threats: 2,
      score: 50,
      reasons: [{ reason: "address", value: "203.0.113.7", threats: 2 }],
    });

    // The oldest one leaves, so that the next one gives the campaign its number.
    setFacts(world, three!.seq, at("203.0.113.7"));
    threats.triage.change([one!.id], "false_positive", { by: analyst });
    await campaigns.catchUp();
    expect(joined(campaigns, one!.seq)).toBeUndefined();
    expect(joined(campaigns, three!.seq)).toEqual([two!.seq, 2]);

    // A resolved one stays: an attacker continues where a team stopped.
    threats.triage.change([two!.id], "resolved", { by: analyst });
    threats.triage.change([one!.id], "active", { by: analyst });
    await campaigns.catchUp();
    expect(joined(campaigns, two!.seq)).toEqual([one!.seq, 3]);

    world.database.sqlite.run("delete from threats where seq = ?", [one!.seq]);
    await campaigns.catchUp();
    expect(joined(campaigns, two!.seq)).toEqual([two!.seq, 2]);
    expect(campaigns.total()).toBe(1);
    setFacts(world, three!.seq, at("203.0.113.8"));
    await campaigns.catchUp();
    expect(campaigns.total()).toBe(0);
    expect(joined(campaigns, two!.seq)).toBeUndefined();
  });

  test("are complete after a start, whatever a process that was killed left behind", async () => {
    const world = openWorld();
    const seqs = ["a", "b", "c"].map((name) => addThreat(world, `${name}-bank.net`, at("203.0.113.7")).seq);
    const lone = addThreat(world, "d-bank.net").seq;
    const { sqlite } = world.database;
    sqlite.run("update threats set campaign_seq = ? where seq in (?, ?)", [seqs[1]!, seqs[1]!, lone]);
    sqlite.run("insert into campaigns values (?, 9, 9, '[]'), (?, 2, 50, '[]')", [lone, seqs[1]!]);
    await world.campaigns.catchUp();
    for (const seq of seqs) expect(joined(world.campaigns, seq)).toEqual([seqs[0]!, 3]);
    expect(joined(world.campaigns, lone)).toBeUndefined();
    expect(world.campaigns.total()).toBe(1);

    // The log of changes was lost, as it is after 100,000 of them.
    setFacts(world, lone, at("203.0.113.7"));
    setFacts(world, seqs[0]!, {});
    sqlite.run("delete from threat_change_log where version < (select max(version) from threat_change_log)");
    await world.campaigns.catchUp();
    expect(joined(world.campaigns, lone)).toEqual([seqs[1]!, 3]);
  });

  test("stay when all their sites are taken down, also after a restart, until a site has another address", async () => {
    const world = openWorld();
    const site: Facts = { ...nothingKnown, ...at("203.0.113.7") };
    const all = ["a", "b", "c", "d", "e"].map((name) => addThreat(world, `${name}-bank.net`, site));
    await world.campaigns.catchUp();
    const before = world.campaigns.of(all[0]!.seq);
    expect(before).toMatchObject({ size: 5, score: 50 });

    const missing = {
      exists: "no" as const,
      addresses: [],
      nameServers: [],
      mailServers: [],
      wildcard: false,
    };
    const parked = { ...at("198.51.100.9").existence!, parked: "Sedo" };
    for (const [index, { seq }] of all.entries()) {
      const gone = mergeFacts(site, { existence: index === 0 ? parked : missing }, index);
      // Further checks find nothing either.
      setFacts(world, seq, mergeFacts(gone, { existence: missing }, index + 10));
    }
    await world.campaigns.catchUp();
    expect(world.campaigns.of(all[0]!.seq)).toEqual(before!);
    await world.campaigns.stop();
    const again = start(world).campaigns;
    await again.catchUp();
    expect(again.of(all[4]!.seq)).toEqual(before!);

    setFacts(world, all[4]!.seq, mergeFacts(site, { existence: at("203.0.113.8").existence! }, 20));
    await again.catchUp();
    expect(again.of(all[4]!.seq)).toBeUndefined();
    expect(again.of(all[0]!.seq)).toMatchObject({ size: 4 });
  });

  test("stop at once while a request that takes long goes first", async () => {
    const world = openStores();
    open.push(world);
    addThreat(world, "a-bank.net", at("203.0.113.7"));
    const waiting = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    const campaigns = openCampaigns({
      ...world,
      foreground: { during: (work) => work, idle: () => (waiting.resolve(), never) },
      yielder: () => ({ due: () => true, pause: async () => {} }),
    });
    campaigns.start();
    world.clock.advance(1_000);
    await waiting.promise;
    await campaigns.stop();
  });

  test("contain the newest threats only once there are more than the limit, also after a start", async () => {
    const world = openStores();
    open.push(world);
    const { database } = world;
    const follow = () => openFollower(world, { threatsMax: 3 });
    const numbers = () => numbersIn(world);
    const follower = follow();
    const [a, b] = ["a", "b"].map((name) => addThreat(world, `${name}-bank.net`, at("203.0.113.7")).seq);
    await follower.catchUp();
    expect(numbers()).toEqual([a!, a!]);
    addThreat(world, "c-bank.net", at("203.0.113.7"));
    const d = addThreat(world, "d-bank.net", at("203.0.113.7")).seq;
    await follower.catchUp();
    expect(numbers()).toEqual([null, b!, b!, b!]);
    setFacts(world, a!, at("203.0.113.7"));
    // Those of which only the name is known take no room.
    addThreat(world, "g-bank.net");
    await follower.catchUp();
    expect(numbers()).toEqual([null, b!, b!, b!, null]);
    for (const name of ["e", "f"])
      addThreat(world, `${name}-bank.net`, at(name === "e" ? "203.0.113.8" : "203.0.113.9"));
    await follower.catchUp();
    expect(numbers()).toEqual([null, null, null, null, null, null, null]);
    expect(database.sqlite.query("select * from campaigns").all()).toEqual([]);

    database.sqlite.run("update threats set campaign_seq = ? where seq <= ?", [a!, d]);
    await follow().catchUp();
    expect(numbers()).toEqual([null, null, null, null, null, null, null]);
  });

  test("are not computed again after a restart without changes of threats, originals or the program", async () => {
    const world = openStores();
    open.push(world);
    const { sqlite } = world.database;
    const [a] = ["a", "b"].map((name) => addThreat(world, `${name}-bank.net`, at("203.0.113.7")).seq);
    const lone = addThreat(world, "c-bank.net").seq;
    await catchUpFully(openFollower(world), world);
    expect(numbersIn(world)).toEqual([a!, a!, null]);

    // A wrong number that only a reader of all threats notices.
    sqlite.run("create table kept as select * from threat_change_log");
    const hide = () => {
      sqlite.run("update threats set campaign_seq = 77 where seq = ?", [lone]);
      sqlite.run("delete from threat_change_log");
      sqlite.run("insert into threat_change_log select * from kept");
    };
    hide();
    await catchUpFully(openFollower(world), world);
    expect(numbersIn(world)).toEqual([a!, a!, 77]);
    await catchUpFully(openFollower(world, { program: "another" }), world);
    expect(numbersIn(world)).toEqual([a!, a!, null]);
  });

  test("are the same after any changes and restarts as those that are computed from nothing", async () => {
    const random = randomFrom(seed);
    const world = openStores();
    open.push(world);
    const { sqlite } = world.database;
    const seqs: number[] = [];
    let restarts = 0;
    let follower = openFollower(world);
    for (let round = 0; round < 24; round += 1) {
      for (let change = random(4); change > 0; change -= 1) {
        const facts = at(`203.0.113.${random(6)}`);
        const seq = seqs[random(seqs.length)];
        if (seq === undefined || random(3) === 0)
          seqs.push(addThreat(world, `${String.fromCharCode(97 + round, 97 + change)}-bank.net`, facts).seq);
        else if (random(4) > 0) setFacts(world, seq, facts);
        else sqlite.run("delete from threats where seq = ?", [seq]);
      }
      // With or without the call that records that nothing has changed.
      await (random(2) === 0 ? follower.catchUp() : catchUpFully(follower, world));
      if (random(2) === 0) {
        restarts += 1;
        follower = openFollower(world);
        await follower.catchUp();
      }
      const numbers = numbersIn(world);
      if (random(3) > 0) continue;
      await openFollower(world, { program: `round ${round}` }).catchUp();
      expect(numbersIn(world), `seed ${seed}`).toEqual(numbers);
    }
    expect(restarts).toBeGreaterThan(0);
    expect(new Set(numbersIn(world)).size, `seed ${seed}`).toBeGreaterThan(1);
  });

  test("are not joined by the address and page of the protected domain, which a name can be pointed to", async () => {
    const world = openWorld();
    const { campaigns, clock, database } = world;
    const site: Partial<Facts> = { ...at("203.0.113.7"), page };
    const [one, two] = ["a", "b"].map((name) => addThreat(world, `${name}-bank.net`, site).seq);
    await campaigns.catchUp();
    expect(joined(campaigns, two!)).toEqual([one!, 2]);

    const keepMarks = createOriginalMarks({
      database,
      settings: createSettings({ clock, database }),
      existence: async () => at("203.0.113.7").existence!,
    });
    const { signal } = new AbortController();
    await keepMarks({ protectedDomainSeq: 1, domain: "example-bank.com", page }, signal);
    // A capture without a page does not forget what the page had.
    await keepMarks({ protectedDomainSeq: 1, domain: "example-bank.com", page: undefined }, signal);
    await campaigns.catchUp();
    expect(campaigns.total()).toBe(0);
    expect(joined(campaigns, two!)).toBeUndefined();
  });

  test("say of each of many threats what joins it, and count the sites that are up or down", async () => {
    const world = openWorld();
    const { sqlite } = world.database;
    const count = 1_200;
    const seqs = world.database.transaction(() =>
      Array.from({ length: count }, (_, index) => {
        const name = String.fromCharCode(
          ...[26 ** 2, 26, 1].map((part) => 97 + (Math.floor(index / part) % 26)),
        );
        return addThreat(world, `${name}-bank.net`, at("203.0.113.7")).seq;
      }),
    );
    sqlite.run("update threats set site_state = 'down' where seq <= ?", [seqs[9]!]);
    sqlite.run("update threats set site_state = 'up' where seq = ?", [seqs.at(-1)!]);
    await world.campaigns.catchUp();
    const campaign = world.campaigns.of(seqs[0]!)!;
    expect(campaign.size).toBe(count);
    const all = world.campaigns.threats(campaign, { limit: count, offset: 0 });
    expect(all.map(({ reasons }) => reasons)).toEqual(seqs.map(() => [0]));
    expect(world.campaigns.list({ limit: 9, offset: 0, recentSince: 0 })).toMatchObject([
      { active: count, up: 1, down: 10, reported: 0 },
    ]);
  });

  test("list their threats with what joins each, and one name that imitates two domains is none", async () => {
    const world = openWorld();
    const { campaigns } = world;
    const servers = { ...at("203.0.113.7").existence!, nameServers: ["ns1.own.example"] };
    const first = addThreat(world, "a-bank.net", { existence: servers });
    const second = addThreat(world, "b-bank.net", { existence: servers });
    const third = addThreat(world, "c-bank.net", at("203.0.113.7"));
    const twice = ["example-bank.com", "example-shop.com"].map(
      (protectedDomain) => addThreat(world, "d-bank.net", at("203.0.113.9"), protectedDomain).seq,
    );
    await campaigns.catchUp();
    const campaign = campaigns.get(first.seq)!;
    expect(campaign.reasons.map(({ reason, threats }) => [reason, threats])).toEqual([
      ["address", 3],
      ["name_servers", 2],
    ]);
    expect(
      campaigns.threats(campaign, { limit: 10, offset: 0 }).map(({ seq, reasons }) => [seq, reasons]),
    ).toEqual([
      [first.seq, [0, 1]],
      [second.seq, [0, 1]],
      [third.seq, [0]],
    ]);
    expect(twice.map((seq) => campaigns.of(seq))).toEqual([undefined, undefined]);
    const [summary] = campaigns.list({ limit: 10, offset: 0, recentSince: 0 });
    expect(summary).toMatchObject({
      name: "a-bank.net",
      size: 3,
      active: 3,
      protectedDomains: [{ domain: "example-bank.com", threats: 3 }],
    });
    expect(
      campaigns.list({ limit: 10, offset: 0, recentSince: 0, protectedDomain: "example-shop.com" }),
    ).toEqual([]);
  });
});
