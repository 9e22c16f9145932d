import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { normalizeName } from "../../../src/engines/detection/names/name.ts";
import { createForeground, createYielder } from "../../../src/platform/lib/yielder.ts";
import { parseNameQuery } from "../../../src/threats/index/columns/name-query.ts";
import {
  createThreatIndex,
  sortKeys,
  type SearchFilter,
  type ThreatIndex,
} from "../../../src/threats/index/threat-index.ts";
import { indicators, indicatorsIn } from "../../../src/threats/threats/severity/indicators.ts";
import { naiveGroups, naiveSearch } from "./naive.ts";
import type { SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import type { Threat } from "../../../src/threats/threats/store/queries.ts";
import { siteStates } from "../../../src/platform/vocabulary/site.ts";
import {
  severities,
  threatSources,
  statuses,
  type ThreatType,
} from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const domains = ["example-bank.com", "example-shop.com"];
const types: ThreatType[] = ["typosquatting", "homograph", "combosquatting"];
const newestFirst = { key: "first_seen", descending: true } as const;
const by = { channel: "system", name: null, address: null } as const;

let stores: Stores;
let index: ThreatIndex;
let rows: Threat[];
let assigneeSeqs: number[] = [];
const random = randomFrom(seed);

beforeAll(() => {
  console.log(`seed ${seed} (TEST_SEED)`);
  stores = openStores();
  for (const name of ["alice", "bob"])
    stores.database.sqlite.run("insert into accounts (name, role, created_at) values (?, 'analyst', 0)", [
      name,
    ]);
  assigneeSeqs = stores.database.sqlite
    .query<{ seq: number }, []>("select seq from accounts")
    .all()
    .map(({ seq }) => seq);
  index = indexOver(stores);
  rows = stores.database.transaction(() => addThreats(400));
});
afterAll(() => stores.dispose());

function indexOver({ database }: Stores): ThreatIndex {
  const yielder = () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
  return createThreatIndex({ database, foreground: createForeground(), yielder });
}

/** Facts that show some of the indicators. */
function randomFacts(): SeverityFacts {
  const page = {
    asksForPassword: random(2) === 0,
    asksForCard: random(4) === 0,
    namesBrand: random(2) === 0,
    redirectsToProtected: random(4) === 0,
    visualSimilarity: random(2) === 0 ? 0.9 : 0.1,
  };
  return {
    exists: "yes",
    reachable: random(4) > 0,
    mail: random(2) === 0,
    page: random(2) === 0 ? page : undefined,
    parked: random(3) === 0 ? "a parking service" : undefined,
    registeredDays: random(60),
  };
}

let made = 0;
function addThreats(count: number): Threat[] {
  const { threats, clock } = stores;
  return Array.from({ length: count }, () => {
    clock.advance(random(3));
    made += 1;
    const [created] = threats.record([
      {
        domain: random(4) === 0 ? nameOf(`pаypal-${made}.com`) : `example${random(9)}-${made}.shop`,
        match: {
          protectedDomain: domains[random(2)]!,
          type: types[random(3)]!,
          similarity: [0.8, 0.9, 0.99][random(3)]!,
          reasons: [],
        },
        source: threatSources[random(threatSources.length)]!,
        seenAt: clock.now() - random(4) * 1_000,
      },
    ]);
    threats.changeStatus([created!.threatId], statuses[random(3)]!, { by });
    const facts = {
      ipAddress: maybe(["192.0.2.1", "192.0.2.200", "198.51.100.7", "2001:db8:1:2::5"]) ?? null,
      registrar: maybe(["Example Registrar", "Other Registrar"]) ?? null,
      nameServer: maybe(["ns1.example.net", "ns2.example.net", "ns-1.awsdns-12.org"]) ?? null,
      whois: {},
      evidence: randomFacts(),
    };
    if (random(3) === 0) threats.updateFacts(created!.threatId, facts, []);
    setCase(created!.threatId);
    return threats.get(created!.threatId)!;
  });
}

/** Campaigns of `campaign_seq`, some of them of one threat. */
const campaignSeqs = [1, 7, 8, 9, 1_000_000];
/** Due times, some before and some after the present time of the clock. */
const dueTimes = [-90_000, -5_500, 4_000, 100_500];

/** Writes the columns of a case past the index, in any combination. */
function setCase(id: string): void {
  const { clock, database } = stores;
  const due = maybe(dueTimes);
  database.sqlite.run(
    "update threats set assignee_seq = ?, due_at = ?, site_state = ?, campaign_seq = ? where id = ?",
    [
      maybe(assigneeSeqs) ?? null,
      due === undefined ? null : clock.now() + due,
      maybe(siteStates) ?? null,
      maybe(campaignSeqs) ?? null,
      id,
    ],
  );
}

function nameOf(text: string): string {
  const result = normalizeName(text);
  if ("error" in result) throw new Error(result.error);
  return result.name;
}

const maybe = <T>(values: readonly T[]): T | undefined =>
  random(2) === 0 ? undefined : values[random(values.length)];

function randomFilter(): SearchFilter {
  const someTime = () => maybe(rows.map(({ firstSeen }) => firstSeen));
  return {
    protectedDomain: random(5) === 0 ? "unknown.example" : maybe(domains),
    status: maybe(statuses),
    severity: maybe(severities),
    type: maybe(types),
    source: random(3) === 0 ? maybe(threatSources) : undefined,
    indicator: random(3) === 0 ? maybe(indicators) : undefined,
    verified: random(3) === 0 ? maybe([true, false]) : undefined,
    minSimilarity: maybe([0.85, 0.99]),
    from: random(2) === 0 ? someTime() : undefined,
    before: random(2) === 0 ? someTime() : undefined,
    within: random(3) === 0 ? maybe([domains, domains.slice(1), ["unknown.example"]]) : undefined,
    registrar: random(4) === 0 ? maybe(["Example Registrar", "unknown"]) : undefined,
    nameServers: random(4) === 0 ? maybe(["example.net", "awsdns"]) : undefined,
    network: random(4) === 0 ? maybe(["192.0.2.0/24", "2001:db8:1::/48"]) : undefined,
    changedSince: random(3) === 0 ? maybe(rows.map(({ changedAt }) => changedAt)) : undefined,
    assignee: random(4) === 0 ? maybe([null, "alice", "Bob", "nobody-has-this-name"]) : undefined,
    overdueAt: random(4) === 0 ? stores.clock.now() - random(2) * 2_500 : undefined,
    siteStates: random(3) === 0 ? maybe([["up", "back"], [null], siteStates]) : undefined,
    campaignSeq: random(6) === 0 ? maybe([...campaignSeqs, 12_345]) : undefined,
    text: maybe([
      parseNameQuery("example3"),
      parseNameQuery("ample*"),
      parseNameQuery("EXAMPLE1*"),
      parseNameQuery("7"),
    ]),
  };
}

function tally(values: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(values)].map((one) => [one, values.filter((value) => value === one).length]),
  );
}

describe("the threat index", () => {
  test("returns what the naive search returns for any filter, order and page, also after changes", async () => {
    for (let round = 0; round < 150; round += 1) {
      if (round % 10 === 9) {
        // Written past the index, which has to notice.
        rows.push(...addThreats(random(5)));
        const changed = rows[random(rows.length)]!;
        stores.threats.changeStatus([changed.id], statuses[random(3)]!, { by });
        setCase(changed.id);
        Object.assign(changed, stores.threats.get(changed.id));
      }
      const filter = randomFilter();
      const order = { key: sortKeys[random(sortKeys.length)]!, descending: random(2) === 0 };
      const perPage = 1 + random(60);
      const page = 1 + random(4);
      const expected = naiveSearch(rows, filter, order);
      const found = await index.search(filter, order, { page, perPage });
      expect({ filter, order, total: found.total }).toEqual({ filter, order, total: expected.length });
      expect(found.threats.map(({ id }) => id)).toEqual(
        expected.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
      );
      const seqs = await index.seqs(filter);
      expect([...seqs]).toEqual(
        naiveSearch(rows, filter)
          .map(({ seq }) => seq)
          .sort((a, b) => a - b),
      );
      for (const severity of severities) {
        expect(found.facets.severity.get(severity) ?? 0).toBe(
          naiveSearch(rows, { ...filter, severity }).length,
        );
      }
      for (const state of [null, ...siteStates]) {
        expect(found.facets.siteState.get(state) ?? 0).toBe(
          naiveSearch(rows, { ...filter, siteStates: [state] }).length,
        );
      }
    }
  });

  test("returns no threats to a protected domain that does not exist, whatever the other filters", async () => {
    const protectedDomain = "unknown.example";
    for (const others of [
      {},
      { status: "active" },
      { type: "homograph" },
      { source: "feed", verified: false },
    ] as const) {
      for (const key of sortKeys) {
        const order = { key, descending: true };
        const filter = { protectedDomain, ...others };
        const { threats, total } = await index.search(filter, order, { page: 1, perPage: 10 });
        expect([filter, key, threats, total]).toEqual([filter, key, [], 0]);
        const { groups, groupTotal, campaignTotal } = await index.searchGroups(filter, order, {
          page: 1,
          perPage: 10,
        });
        expect([filter, key, groups, groupTotal, campaignTotal]).toEqual([filter, key, [], 0, 0]);
      }
    }
  });

  test("returns the groups by campaign that the naive search returns for any filter, order and page, also after changes", async () => {
    for (let round = 0; round < 80; round += 1) {
      const changed = rows[random(rows.length)]!;
      setCase(changed.id);
      Object.assign(changed, stores.threats.get(changed.id));
      const filter = random(4) === 0 ? {} : randomFilter();
      const order = { key: sortKeys[random(sortKeys.length)]!, descending: random(2) === 0 };
      const perPage = 1 + random(30);
      const page = 1 + random(3);
      const expected = naiveGroups(rows, filter, order);
      const found = await index.searchGroups(filter, order, { page, perPage });
      const shown = expected.slice((page - 1) * perPage, page * perPage);
      const { groupTotal, campaignTotal, total } = found;
      const counts = { groupTotal, campaignTotal, total };
      expect({ filter, order, ...counts }).toEqual({
        filter,
        order,
        groupTotal: expected.length,
        campaignTotal: expected.filter(({ members }) => members.length > 1).length,
        total: naiveSearch(rows, filter).length,
      });
      expect(found.groups.map(({ first, campaignSeq }) => [first.seq, campaignSeq])).toEqual(
        shown.map(({ first }) => [first.seq, first.campaignSeq]),
      );
      for (const [position, group] of found.groups.entries()) {
        const { members } = shown[position]!;
        const due = members.flatMap(({ status, dueAt }) => (status === "active" ? (dueAt ?? []) : []));
        expect(group).toMatchObject({
          count: members.length,
          statuses: tally(members.map(({ status }) => status)),
          siteStates: tally(members.flatMap(({ siteState }) => siteState ?? [])),
          severity: severities.find((one) => members.some(({ severity }) => severity === one)),
          newestAt: Math.max(...members.map(({ firstSeen }) => firstSeen)),
          dueAt: due.length === 0 ? null : Math.floor(Math.min(...due) / 1000) * 1000,
        });
        expect(group.protectedDomains.toSorted()).toEqual(
          [...new Set(members.map(({ protectedDomain }) => protectedDomain))].sort(),
        );
      }
      const own = rows[random(rows.length)]!;
      const inGroup = expected.findIndex(
        ({ first, members }) =>
          members.includes(own) || (own.campaignSeq !== null && first.campaignSeq === own.campaignSeq),
      );
      // A threat that does not match, and is alone, marks its place.
      const marked = naiveSearch([...expected.map(({ first }) => first), own], {}, order);
      const place = inGroup === -1 ? marked.indexOf(own) : inGroup;
      expect([filter, order, await index.groupPosition(filter, order, own.id)]).toEqual([
        filter,
        order,
        Math.max(1, Math.min(place + 1, expected.length)),
      ]);
    }
  });

  test("returns the position and the neighbors that the naive search gives, for threats in the view and decided ones", async () => {
    for (let round = 0; round < 100; round += 1) {
      const filter = randomFilter();
      const order = { key: sortKeys[random(sortKeys.length)]!, descending: random(2) === 0 };
      const own = rows[random(rows.length)]!;
      const inView = naiveSearch(rows, filter, order);
      // The threat itself marks its place, whether it matches or not.
      const marked = naiveSearch([...inView.filter(({ id }) => id !== own.id), own], {}, order);
      const place = marked.indexOf(own);
      const around = await index.around(filter, order, own.id);
      expect({ filter, order, position: around!.position, total: around!.total }).toEqual({
        filter,
        order,
        position: place + 1,
        total: inView.length,
      });
      expect(around!.previous?.id).toBe(marked[place - 1]?.id);
      expect(around!.next?.id).toBe(marked[place + 1]?.id);
    }
    expect(await index.around({}, newestFirst, "thr_00000000000000000000000000")).toBeUndefined();
  });

  test("counts the matches created after the newest threat that a page has shown", async () => {
    const { lastSeq } = await index.search({}, newestFirst, { page: 1, perPage: 1 });
    expect(await index.newerThan({}, lastSeq)).toBe(0);
    const added = addThreats(30);
    rows.push(...added);
    for (const filter of [{}, ...Array.from({ length: 20 }, randomFilter)]) {
      expect(await index.newerThan(filter, lastSeq)).toBe(naiveSearch(added, filter).length);
    }
    expect(await index.newerThan({}, lastSeq)).toBe(30);
  });

  test("finds a homograph by its letters, by the letters that it looks like and by its A-label", async () => {
    const homographs = rows.filter(({ domain }) => domain.includes("xn--")).length;
    expect(homographs).toBeGreaterThan(10);
    for (const typed of ["pаypal", "PАYPAL*", "paypal", "xn--"]) {
      const { total } = await index.search({ text: parseNameQuery(typed) }, newestFirst, {
        page: 1,
        perPage: 1,
      });
      expect([typed, total]).toEqual([typed, homographs]);
    }
  });

  test("returns the ids of all matches for a batch decision, without threats that are newer than the page", async () => {
    const filter = { status: "active" } as const;
    const { lastSeq } = await index.search(filter, newestFirst, { page: 1, perPage: 1 });
    const expected = naiveSearch(rows, filter, newestFirst);
    const added = addThreats(20);
    const ids = await index.ids(filter, newestFirst, { max: 30, lastSeq });
    expect(ids).toEqual(expected.slice(0, 30).map(({ id }) => id));
    rows.push(...added);
  });

  test("returns exactly the threats that an import or a scan created, in pages, counts and batch decisions", async () => {
    const create = (domain: string, run: { importSeq?: number; scanSeq?: number }) => {
      const match = { protectedDomain: domains[0]!, type: types[0]!, similarity: 0.9, reasons: [] };
      const seenAt = stores.clock.now();
      return stores.threats.record([{ domain, match, source: "feed", seenAt, ...run }])[0]!.threatId;
    };
    const one = create("run-1.shop", { importSeq: 7 });
    const two = create("run-2.shop", { importSeq: 7 });
    const three = create("run-3.shop", { importSeq: 8 });
    const four = create("run-4.shop", { scanSeq: 7 });
    // Known already, so it stays with the import that created it.
    create("run-1.shop", { importSeq: 8 });
    const found = async (filter: SearchFilter) => {
      const result = await index.search(filter, newestFirst, { page: 1, perPage: 50 });
      const { lastSeq, total, facets } = result;
      expect(await index.ids(filter, newestFirst, { max: 50, lastSeq })).toEqual(
        result.threats.map(({ id }) => id),
      );
      expect(facets.status.get("active") ?? 0).toBe(total);
      return result.threats.map(({ id }) => id).sort();
    };
    expect(await found({ importSeq: 7 })).toEqual([one, two].sort());
    expect(await found({ importSeq: 8 })).toEqual([three]);
    expect(await found({ scanSeq: 7 })).toEqual([four]);
    expect(await found({ importSeq: 7, scanSeq: 7 })).toEqual([]);
    expect(await found({ importSeq: 9 })).toEqual([]);
    rows.push(...[one, two, three, four].map((id) => stores.threats.get(id)!));
  });

  test("finds a threat by an indicator as soon as its facts are written", async () => {
    const threat = rows.find(
      ({ severityReasons }) => !indicatorsIn(severityReasons).includes("receives_mail"),
    )!;
    const withMail = async () => {
      const found = await index.search({ indicator: "receives_mail" }, newestFirst, {
        page: 1,
        perPage: 1_000,
      });
      return found.threats.map(({ id }) => id);
    };
    expect(await withMail()).not.toContain(threat.id);
    const evidence = { exists: "yes", mail: true } as const;
    stores.threats.updateFacts(threat.id, { ipAddress: null, registrar: null, whois: {}, evidence }, []);
    Object.assign(threat, stores.threats.get(threat.id));
    expect(await withMail()).toContain(threat.id);
  });

  test("finds a threat as verified as soon as nothing but that has changed", async () => {
    const { seq, verified } = rows[0]!;
    const total = async () =>
      (await index.search({ verified: true }, newestFirst, { page: 1, perPage: 1 })).total;
    const before = await total();
    const set = (value: boolean) =>
      stores.database.sqlite.run("update threats set verified = ? where seq = ?", [value, seq]);
    set(!verified);
    expect(await total()).toBe(before + (verified ? -1 : 1));
    set(verified);
    expect(await total()).toBe(before);
  });

  test("reads all threats again when the change log no longer reaches back to its last read", async () => {
    const changed = rows[5]!;
    const status = changed.status === "active" ? "resolved" : "active";
    stores.threats.changeStatus([changed.id], status, { by });
    stores.database.sqlite.run(
      "delete from threat_change_log where version < (select max(version) from threat_change_log)",
    );
    stores.database.sqlite.run("update threat_change_log set version = version + 1000");
    stores.threats.changeStatus([rows[6]!.id], status, { by });
    for (const row of [changed, rows[6]!]) Object.assign(row, stores.threats.get(row.id));
    const found = await index.search({ status }, newestFirst, { page: 1, perPage: 1 });
    expect(found.total).toBe(naiveSearch(rows, { status }).length);
  });

  test("counts the matches of any filter, and without a scan those of the usual views, also after changes", async () => {
    for (let round = 0; round < 40; round += 1) {
      const changed = rows[random(rows.length)]!;
      const facts = { ipAddress: null, registrar: null, whois: {}, evidence: randomFacts() };
      stores.threats.updateFacts(changed.id, facts, []);
      Object.assign(changed, stores.threats.get(changed.id));
      const ofKind = { status: maybe(statuses), severity: maybe(severities), type: maybe(types) };
      const usual: SearchFilter[] = [
        { ...ofKind, source: maybe(threatSources), protectedDomain: maybe([...domains, "unknown.example"]) },
        { ...ofKind, verified: maybe([true, false]) },
        { ...ofKind, indicator: maybe(indicators) },
        { ...ofKind, siteStates: ["up", "back"], assignee: maybe([null, "alice", "nobody-has-this-name"]) },
      ];
      const any = randomFilter();
      const quick = await index.quickCounts([...usual, any, { ...any, minSimilarity: 0.9 }]);
      expect(quick.slice(0, 4)).toEqual(usual.map((filter) => naiveSearch(rows, filter).length));
      const exact = naiveSearch(rows, any).length;
      expect(quick[4] ?? exact).toBe(exact);
      expect(quick[5]).toBeUndefined();
      // Many filters take another way to the protected domains.
      const many = await index.quickCounts(Array.from({ length: 20 }, () => usual).flat());
      expect(many.slice(-4)).toEqual(quick.slice(0, 4));
      expect(await index.count(any)).toBe(exact);
    }
  });

  test("returns what the naive search returns for tens of thousands of threats, across block boundaries", async () => {
    const many = openStores();
    many.database.sqlite.run(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
      severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token, campaign_seq)
    select printf('thr_%026d', i), 1 + i % 2, 'name-' || i || '.com', iif(i % 7 = 0, 'homograph', 'combosquatting'),
      iif(i % 5 = 0, 'resolved', 'active'), iif(i % 11 = 0, 'high', 'low'), 0.75 + (i * 37 % 250) / 1000.0, 'feed', '[]',
      '[]', 1700000000000 + i * 60000 - (i * 7919 % 1000) * 3600, 0, 1700000000000 + (i * 31 % 10000), '{}', '',
      iif(i between 4500 and 9000 and i % 3 = 0, 1 + i % 400, null)
    from n`);
    const own = indexOver(many);
    const all = many.threats
      .list({}, { page: 1, perPage: 10_000 })
      .threats.map(({ id }) => many.threats.get(id)!);
    const middle = 1_700_000_000_000 + 5_000 * 60_000;
    const filters: SearchFilter[] = [
      {},
      { status: "resolved", type: "homograph", severity: "high" },
      { protectedDomain: "example-bank.com", status: "active" },
      { from: middle, before: middle + 3_600_000 },
      { from: middle + 3_000 * 60_000, severity: "high" },
      { before: 1_700_000_000_000 + 60_000 * 100 },
      { text: parseNameQuery("name-"), status: "active" },
    ];
    for (const filter of filters) {
      for (const order of sortKeys.flatMap((key) =>
        [true, false].map((descending) => ({ key, descending })),
      )) {
        const inOrder = naiveSearch(all, filter, order);
        const expected = inOrder.map(({ seq }) => seq);
        for (const page of [1, 3, 30]) {
          const found = await own.search(filter, order, { page, perPage: 50 });
          expect([filter, order, found.total]).toEqual([filter, order, expected.length]);
          expect(found.threats.map(({ seq }) => seq)).toEqual(expected.slice((page - 1) * 50, page * 50));
        }
        if (order.key === "severity") {
          const { groups, groupTotal } = await own.searchGroups(filter, order, { page: 2, perPage: 50 });
          const byCampaign = Map.groupBy(inOrder, ({ campaignSeq, id }) => campaignSeq ?? id);
          const firsts = [...byCampaign.values()].map(([first]) => first!.seq);
          expect(groupTotal).toBe(firsts.length);
          expect(groups.map(({ first }) => first.seq)).toEqual(firsts.slice(50, 100));
        }
        const place = random(expected.length);
        const { id } = all.find(({ seq }) => seq === expected[place])!;
        const { position, previous, next } = (await own.around(filter, order, id))!;
        expect([position, previous?.seq, next?.seq]).toEqual([
          place + 1,
          expected[place - 1],
          expected[place + 1],
        ]);
      }
    }
    many.dispose();
  });
});
