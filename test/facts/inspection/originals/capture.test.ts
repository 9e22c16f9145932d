import { afterEach, beforeEach, expect, test } from "bun:test";
import { fingerprintOf } from "../../../../src/facts/inspection/comparison/fingerprint.ts";
import type { InspectionResult, InspectionTarget } from "../../../../src/facts/inspection/model/inspector.ts";
import { createBrands } from "../../../../src/facts/inspection/originals/brands.ts";
import { openOriginals, type Originals } from "../../../../src/facts/inspection/originals/open-originals.ts";
import { createOriginalStore } from "../../../../src/facts/inspection/originals/store.ts";
import { createYielder } from "../../../../src/platform/lib/yielder.ts";
import type { Page } from "../../../../src/facts/lookups/page/page-lookup.ts";
import type { PageView } from "../../../../src/facts/lookups/page/page-view.ts";
import { bitmap, webpOf } from "../../../support/pictures.ts";
import { analyst, openStores, type Stores } from "../../../support/stores.ts";
import { passwordForm, viewOf } from "../comparison/support.ts";

/** A page of the site, or the status or the reason that the server responds with. */
type Served = { view: Partial<PageView>; page?: Partial<Page>; noBrowser?: true } | { reason: string };

const screenshot = await webpOf(64, 40, (x) => (x < 20 ? 20 : 240));
const expectedHash = "0123456789abcdef";
const lookups = { enabled: true };
let stores: Stores;
let site: Record<string, Served>;
let opened: string[];
let originals: Originals;
let brands: ReturnType<typeof createBrands>;

function inspect({ address }: InspectionTarget): Promise<InspectionResult> {
  opened.push(address);
  const url = address.includes("://") ? address : `https://${address}/`;
  const served = site[url] ?? { reason: "the name does not exist" };
  if ("reason" in served) return Promise.resolve({ ok: false, ...served });
  const view = viewOf({ addresses: [url], ...served.view });
  const finalUrl = view.addresses.at(-1)!;
  const isSecure = finalUrl.startsWith("https:");
  const certificate = {
    issuer: "CA",
    notBefore: "2026-01-01T00:00:00.000Z",
    notAfter: "2027-01-01T00:00:00.000Z",
  };
  return Promise.resolve({
    ok: true,
    page: {
      finalUrl,
      redirects: [],
      status: 200,
      title: view.title,
      asksForPassword: false,
      asksForCard: false,
      namesBrand: true,
      redirectsToProtected: false,
      ...(isSecure ? { certificate } : {}),
      ...served.page,
    },
    fingerprint: {
      ...fingerprintOf(view),
      ...(view.title === "Example Bank" && served.noBrowser !== true ? { screenshot: expectedHash } : {}),
    },
    verdicts: [],
    ...(served.noBrowser === true ? {} : { screenshot }),
    view,
  });
}

beforeEach(() => {
  stores = openStores();
  lookups.enabled = true;
  opened = [];
  site = { "https://example-bank.com/": home, "https://example-bank.com/login": signIn };
  const { auditLog, clock, database, domains, log, path } = stores;
  const store = createOriginalStore(database);
  const yielder = () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
  brands = createBrands({ database, domains, store, yielder });
  originals = openOriginals({
    auditLog,
    brands,
    clock,
    config: { lookups, storage: { path } } as Parameters<typeof openOriginals>[0]["config"],
    database,
    inspector: { inspect },
    log,
    store,
  });
});
afterEach(async () => {
  await originals.stop();
  stores.dispose();
});

const words = (prefix: string) => Array.from({ length: 40 }, (_, index) => `${prefix}${index}`).join(" ");
const home: Served = {
  view: {
    title: "Example Bank",
    siteName: "Zorblatt",
    text: words("bank"),
    linkTexts: [{ text: "Sign in", url: "https://example-bank.com/login?next=%2F" }],
    links: ["https://example-bank.com/login?next=%2F"],
  },
};
const signIn: Served = {
  view: {
    title: "Sign in – Example Bank",
    text: words("secret"),
    forms: [passwordForm("https://example-bank.com/login")],
  },
};
const bank = () => stores.domains.find("example-bank.com")!;
const hourMs = 3_600_000;

/** Lets time pass, capturing what is due each hour. */
async function pass(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    stores.clock.advance(hourMs);
    await originals.run();
  }
}

function states() {
  return originals
    .pages(bank())
    .map(({ original: { address, role, problem }, versions }) => [
      role,
      address,
      problem?.code ?? null,
      versions.map(({ fingerprint, state }) => `${state} ${fingerprint.title}`),
    ]);
}

test("the home page and the sign-in page that it links to are captured once a day, with screenshots", async () => {
  let changes = 0;
  brands.onChange(() => (changes += 1));
  await originals.run();
  expect(states()).toEqual([
    ["home", "https://example-bank.com/", null, ["accepted Example Bank"]],
    ["sign_in", "https://example-bank.com/login", null, ["accepted Sign in – Example Bank"]],
  ]);
  const [first] = originals.pages(bank());
  expect(await originals.screenshotOf(bank(), first!.versions[0]!.seq)).toMatchObject({
    webp: new Uint8Array(screenshot),
  });
  expect(await originals.screenshotAt("example-bank.com", "https://example-bank.com/unknown")).toMatchObject({
    webp: new Uint8Array(screenshot),
  });
  expect(changes).toBe(2);
  const [brand] = await brands.read();
  expect(brand).toMatchObject({ protectedDomain: "example-bank.com", names: ["example-bank"] });
  expect(brand!.originals.map(({ fingerprint }) => fingerprint.title)).toEqual([
    "Example Bank",
    "Sign in – Example Bank",
  ]);
  const count = opened.length;
  await pass(12);
  const again = opened.slice(count).filter((address) => !address.includes("shop"));
  expect(again).toEqual([]);
  await pass(15);
  expect(
    opened
      .slice(count)
      .filter((address) => !address.includes("shop"))
      .toSorted(),
  ).toEqual(["example-bank.com", "https://example-bank.com/login"]);
  expect(changes).toBe(2);
});

test("a capture that looks the same completes a version without a screenshot or with an outdated fingerprint", async () => {
  site["https://example-bank.com/"] = { ...home, noBrowser: true };
  await originals.run();
  expect(originals.capturedLooksOf("example-bank.com")).toEqual([]);
  site["https://example-bank.com/"] = home;
  let changes = 0;
  brands.onChange(() => (changes += 1));
  await pass(30);
  expect(changes).toBe(1);
  const { fingerprint, hasScreenshot, seq } = originals.pages(bank())[0]!.versions[0]!;
  expect(hasScreenshot).toBe(true);
  expect(originals.capturedLooksOf("example-bank.com")).toMatchObject([{ hash: expectedHash }]);
  createOriginalStore(stores.database).updateVersion(seq, { fingerprint: { ...fingerprint, version: 0 } });
  await pass(30);
  expect((await brands.read())[0]!.originals[0]!.fingerprint).toEqual(fingerprint);
  expect(states()[0]![3]).toEqual(["accepted Example Bank"]);
});

test("a comparison waits for the first capture, and gets the looks of all pages", async () => {
  const { signal } = new AbortController();
  const looks = await originals.looksOf("example-bank.com", signal);
  expect(looks.map(({ address }) => address)).toEqual(["https://example-bank.com/"]);
  expect(looks[0]!.hash).toBe(expectedHash);
  const count = opened.length;
  expect(await originals.looksOf(bank().id, signal)).toEqual(looks);
  expect(opened.length).toBe(count);
  lookups.enabled = false;
  expect(await originals.looksOf("unknown.example", signal)).toEqual([]);
});

test("nothing is fetched while lookups are disabled, and a request says so", async () => {
  lookups.enabled = false;
  await originals.run();
  expect(await originals.captureNow(bank())).toBe(false);
  expect(opened).toEqual([]);
});

test.each<[string, Served, string]>([
  ["is down", { reason: "connection refused" }, "unreachable"],
  [
    "responds with an error",
    { view: { title: "Oops", text: words("x") }, page: { status: 503 } },
    "error_status",
  ],
  ["is parked", { view: { title: "For sale" }, page: { parked: "for sale" } }, "parked"],
  [
    "leads to a stranger",
    { view: { addresses: ["https://example-bank.com/", "https://stranger.example/"] } },
    "leads_elsewhere",
  ],
  [
    "has lost its certificate",
    { view: { title: "Other", text: words("y"), addresses: ["http://example-bank.com/"] } },
    "insecure",
  ],
])(
  "a site that %s keeps the version on record, and the problem is reported until it is captured again",
  async (_state, served, code) => {
    await originals.run();
    const before = (await brands.read())[0]!.originals;
    site["https://example-bank.com/"] = served;
    await pass(30);
    expect(states()[0]).toEqual(["home", "https://example-bank.com/", code, ["accepted Example Bank"]]);
    expect((await brands.read())[0]!.originals).toEqual(before);
    const summary = originals.summaries().find(({ address }) => address === "https://example-bank.com/")!;
    expect(summary).toMatchObject({
      domain: "example-bank.com",
      problem: { code },
      failingSince: expect.any(Number),
    });
    site["https://example-bank.com/"] = home;
    await pass(30);
    expect(states()[0]![2]).toBeNull();
    expect(
      originals
        .summaries()
        .filter(({ problem, domain }) => problem !== null && domain === "example-bank.com"),
    ).toEqual([]);
  },
);

test("an entirely different page replaces the version on record after a day, and not at all once it is rejected", async () => {
  await originals.run();
  const other: Served = { view: { title: "We are back soon", text: words("soon") } };
  site["https://example-bank.com/"] = other;
  await pass(30);
  expect(states()[0]![3]).toEqual(["accepted Example Bank", "waiting We are back soon"]);
  await pass(30);
  expect(states()[0]![3]).toEqual(["accepted We are back soon", "accepted Example Bank"]);
  const [{ versions }] = originals.pages(bank()) as [ReturnType<Originals["pages"]>[number]];
  originals.decide(bank(), versions[0]!.seq, "rejected", { by: analyst });
  await pass(80);
  expect(states()[0]![3]).toEqual(["accepted Example Bank", "rejected We are back soon"]);
  expect((await brands.read())[0]!.originals.map(({ fingerprint }) => fingerprint.title)).not.toContain(
    "We are back soon",
  );
  originals.decide(bank(), versions[0]!.seq, "accepted", { by: analyst });
  expect(states()[0]![3]).toEqual(["accepted We are back soon", "accepted Example Bank"]);
  expect(stores.auditLog.list({}, { limit: 2, offset: 0 }).map(({ action }) => action)).toEqual([
    "original.accept",
    "original.reject",
  ]);
});

test("a page that a person adds is captured, and one that a person removes is not discovered again", async () => {
  await originals.run();
  const add = (address: string) => originals.add(bank(), { address, role: "other" }, { by: analyst });
  for (const address of [
    "",
    "ftp://example-bank.com/",
    "https://user@example-bank.com/",
    "https://stranger.example/",
  ])
    expect(() => add(address)).toThrow(/address|allowed name/i);
  site["https://cards.example-bank.com/start"] = { view: { title: "Cards", text: words("card") } };
  add("cards.example-bank.com/start#top");
  expect(() => add("https://cards.example-bank.com/start")).toThrow("already");
  await originals.run();
  const [, login, cards] = originals.pages(bank());
  expect(cards).toMatchObject({
    original: { address: "https://cards.example-bank.com/start", problem: null },
  });
  originals.remove(bank(), login!.original.seq, { by: analyst });
  await pass(60);
  expect(states().map(([role]) => role)).toEqual(["home", "other"]);
  expect((await brands.read())[0]!.originals.map(({ address }) => address)).not.toContain(
    "https://example-bank.com/login",
  );
});

test("an address that leads to a name becomes an original as soon as the name is allowed, which is suggested", async () => {
  const { domains } = stores;
  domains.add({ domain: "example-mail.com" }, { by: analyst });
  site["https://example-mail.com/"] = {
    view: {
      title: "Mail",
      text: words("mail"),
      addresses: ["https://example-mail.com/", "https://www.examplemail.net/"],
    },
  };
  await originals.run();
  const mail = () => domains.find("example-mail.com")!;
  expect(originals.pages(mail())[0]).toMatchObject({
    versions: [],
    original: { problem: { detail: "www.examplemail.net" } },
  });
  expect(await originals.suggestions(mail())).toMatchObject([{ kind: "allow", value: "examplemail.net" }]);
  domains.change("example-mail.com", { allow: ["examplemail.net"] }, { by: analyst });
  await originals.run();
  expect(originals.pages(mail())[0]).toMatchObject({
    versions: [{ state: "accepted" }],
    original: { problem: null },
  });
  expect(await originals.suggestions(mail())).toEqual([]);
});

test("a name that several originals state is a name of the brand until it is dismissed, and is not suggested again", async () => {
  site["https://example-bank.com/login"] = { view: { ...signIn.view, siteName: "Zorblatt" } };
  await originals.run();
  expect((await brands.read())[0]!.names).toEqual(["example-bank", "Zorblatt"]);
  expect(await originals.suggestions(bank())).toMatchObject([
    { kind: "keyword", value: "zorblatt", source: "site_name" },
  ]);
  let changes = 0;
  brands.onChange(() => (changes += 1));
  originals.dismiss(bank(), { kind: "keyword", value: "zorblatt" }, { by: analyst });
  expect(await originals.suggestions(bank())).toEqual([]);
  expect(changes).toBe(1);
  expect((await brands.read())[0]!.names).toEqual(["example-bank"]);
});

test("a logo is stored as a small PNG without the other content of the file, and unusable files are rejected", async () => {
  const draw = (x: number, y: number) => (x > y ? 30 : 220);
  const file = await new Bun.Image(bitmap(900, 300, draw)).jpeg({ quality: 90 }).bytes();
  const added = await originals.addLogo(bank(), { name: "Logo\u202e <1>", file }, { by: analyst });
  expect({ ...added }).toMatchObject({
    width: 640,
    height: 213,
    hash: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(added.name).toContain("\\u{202e}");
  expect(added.image.subarray(1, 4).toString()).toBe("PNG");
  expect((await brands.read())[0]!.logos).toMatchObject([{ hash: added.hash! }]);
  const reject = (bytes: Uint8Array) =>
    originals.addLogo(bank(), { name: "x", file: bytes }, { by: analyst });
  await expect(reject(file)).rejects.toThrow("already");
  await expect(reject(new Uint8Array())).rejects.toThrow("empty");
  await expect(reject(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).rejects.toThrow("PNG");
  await expect(reject(bitmap(64, 64, draw))).rejects.toThrow("PNG");
  await expect(reject(file.subarray(0, 400))).rejects.toThrow();
  const blank = await new Bun.Image(bitmap(64, 64, () => 200)).png().bytes();
  await expect(reject(blank)).rejects.toThrow("blank");
  const huge = Buffer.from(await new Bun.Image(bitmap(64, 64, draw)).png().bytes());
  huge.writeUInt32BE(60_000, 16);
  await expect(reject(huge)).rejects.toThrow();
  originals.removeLogo(bank(), added.seq, { by: analyst });
  expect(originals.logos(bank())).toEqual([]);
});

test("a removed domain leaves no screenshot behind", async () => {
  await originals.run();
  const [{ versions }] = originals.pages(bank()) as [ReturnType<Originals["pages"]>[number]];
  stores.database.sqlite.run("delete from protected_domains where domain = 'example-bank.com'");
  const { auditLog, clock, database, log, path } = stores;
  const config = { lookups, storage: { path } } as Parameters<typeof openOriginals>[0]["config"];
  const store = createOriginalStore(database);
  const next = openOriginals({
    auditLog,
    brands,
    clock,
    config,
    database,
    inspector: { inspect },
    log,
    store,
  });
  await next.run();
  const file = `${path.replace(/[^/]*$/, "")}screenshots/original_${versions[0]!.seq}.webp`;
  expect(await Bun.file(file).exists()).toBe(false);
});
