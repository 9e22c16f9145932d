import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { actorJson } from "../../../src/access/audit/actor.ts";
import type { Browser } from "../../../src/facts/lookups/browser/chromium.ts";
import { bundleWithReport, reportFiles } from "../../../src/response/cases/takedowns/files.ts";
import { gatherEvidence } from "../../../src/response/evidence/evidence-bundle.ts";
import { createEventLog } from "../../../src/threats/events/event-log.ts";
import { createDeliveryLog } from "../../../src/messaging/deliveries/delivery-log.ts";
import { openEnrichment, plainPage, registered, type OpenEnrichment } from "../../support/enrichment.ts";
import { webpOf } from "../../support/pictures.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const screenshot = await webpOf(64, 64, (x, y) => (x < 20 ? 20 : y < 30 ? 240 : 120));
const browser: Browser = { takeScreenshot: async (url) => ({ ok: true, webp: screenshot, url }), close() {} };
const hostileTitle = "../../etc/passwd\u202e<script>alert(1)</script>";

let opened: OpenEnrichment;
let id: string;
beforeEach(async () => {
  opened = openEnrichment({ browser });
  opened.enrichment().start();
  opened.world.registration = { ...registered, raw: "Domain: examp1e-bank.com\r\n" } as typeof registered;
  opened.world.page = { ok: true, page: { ...plainPage, title: hostileTitle } };
  id = opened.sight("examp1e-bank.com");
  await opened.pass(0);
  await opened.pass(1_000);
  const facts = () => opened.enrichment().factsOf(id)!.facts;
  await until(() => facts().screenshot !== undefined && facts().registration !== undefined, "facts");
  opened.threats.notes.add(id, "Written to the registrar.", { by: analyst });
  opened.threats.changeStatus([id], "resolved", { by: analyst });
});
afterEach(() => opened.dispose());

async function gathered() {
  const { database, threats } = opened;
  const deliveries = createDeliveryLog({ database });
  const services = {
    threats,
    enrichment: opened.enrichment(),
    eventLog: createEventLog(database),
    deliveries,
  };
  expect(await gatherEvidence(services, "thr_none")).toBeUndefined();
  return (await gatherEvidence(services, id))!;
}

async function bundle(): Promise<Uint8Array<ArrayBuffer>> {
  return bundleWithReport(await gathered(), { now: 0, signature: "Ada Analyst" });
}

test("the bundle contains everything known about a threat, with checksums that other programs confirm", async () => {
  const folder = join(dirname(opened.path), "unpacked");
  mkdirSync(folder);
  const zip = await bundle();
  writeFileSync(join(folder, "evidence.zip"), zip);
  const files = await unpack(folder, zip);
  expect(files.toSorted()).toEqual([
    "SHA256SUMS",
    "evidence.json",
    "history.json",
    "internal/decisions.json",
    "internal/events.json",
    "internal/notes.json",
    "manifest.json",
    "original.webp",
    "registration-answer.txt",
    "report.txt",
    "screenshot.webp",
  ]);
  const bytes = (name: string) => readFileSync(join(folder, name));
  const read = (name: string) => JSON.parse(bytes(name).toString("utf8"));
  const sums = new Map(
    bytes("SHA256SUMS")
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => line.split("  ").toReversed() as [string, string]),
  );
  for (const name of files.filter((one) => one !== "SHA256SUMS"))
    expect(sums.get(name)).toBe(new Bun.CryptoHasher("sha256").update(bytes(name)).digest("hex"));
  for (const { name, sha256, bytes: length } of read("manifest.json").entries)
    expect([sha256, length]).toEqual([sums.get(name), bytes(name).length]);

  expect(read("evidence.json")).toMatchObject({
    domain: "examp1e-bank.com",
    status: "resolved",
    facts: { page: { title: hostileTitle }, dns: { addresses: ["192.0.2.7"] } },
    registration: { registrar: "Example Registrar" },
  });
  expect(bytes("registration-answer.txt").toString()).toBe("Domain: examp1e-bank.com\r\n");
  expect(bytes("screenshot.webp")).toEqual(Buffer.from(screenshot));
  expect(read("history.json").map(({ field }: { field: string }) => field)).toContain("page title");
  expect(read("internal/decisions.json")).toMatchObject([
    { field: "status", after: "resolved", by: actorJson(analyst) },
  ]);
  expect(read("internal/notes.json")).toMatchObject([
    { text: "Written to the registrar.", by: actorJson(analyst) },
  ]);
  const types = read("internal/events.json").map(({ event }: { event: { type: string } }) => event.type);
  expect(types).toEqual(["threat.resolved", "threat.updated", "threat.created"]);
  const report = bytes("report.txt").toString();
  expect(report).toMatch(/^(?:To: \S+\n)?Subject: .+\n\nTo the abuse team of /);
  expect(report).toEndWith("Kind regards,\nAda Analyst\n");
  // The key of the screenshot's public URL must not be disclosed.
  expect(Buffer.from(zip).includes(opened.threats.get(id)!.screenshotToken)).toBe(false);
});

test("the same content gives the same bytes at any time", async () => {
  const first = await bundle();
  opened.clock.advance(90_000);
  expect(Buffer.from(await bundle()).equals(Buffer.from(first))).toBe(true);
  opened.threats.notes.add(id, "One more.", { by: analyst });
  expect(Buffer.from(await bundle()).equals(Buffer.from(first))).toBe(false);
});

/** Unpacks with Python, an independent implementation, or with the library if Python is missing. */
async function unpack(folder: string, zip: Uint8Array): Promise<string[]> {
  const python = Bun.which("python3");
  if (python !== null) {
    const program =
      "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); print('\\n'.join(z.namelist()))";
    const run = Bun.spawnSync([python, "-c", program, join(folder, "evidence.zip"), folder]);
    if (run.exitCode !== 0) throw new Error(run.stderr.toString());
    return run.stdout.toString().trim().split("\n");
  }
  const files = unzipSync(zip);
  mkdirSync(join(folder, "internal"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return Object.keys(files);
}

test("the files of a report reveal neither that a beacon found the copy, nor notes, decisions and a second text", async () => {
  const evidence = await gathered();
  const { threat, origins } = evidence;
  const found: typeof evidence = {
    ...evidence,
    threat: {
      ...threat,
      source: "beacon",
      reasons: [{ code: "beacon_reported", params: { beacon: "sign-in" } }],
    },
    origins: { ...origins, urls: [{ url: "https://examp1e-bank.com/", source: "beacon", seenAt: 0 }] },
  };
  const files = await reportFiles([found, found]);
  expect(files.map(({ attached, name }) => [name, attached])).toEqual([
    ["evidence.json", true],
    ["sites.csv", true],
    ["screenshot-1.jpg", true],
    ["screenshot-2.jpg", true],
    ["evidence.zip", false],
  ]);
  const inner = Object.values(unzipSync(files.at(-1)!.content)).map((zip) => unzipSync(zip));
  const entries = inner.flatMap((one) => Object.entries(one));
  expect(entries.map(([name]) => name).filter((name) => /^internal\/|^report/.test(name))).toEqual([]);
  const texts = [...files.slice(0, 2).map(({ content }) => content), ...entries.map(([, bytes]) => bytes)];
  for (const bytes of texts)
    expect(new TextDecoder().decode(bytes)).not.toMatch(/beacon|Written to the registrar/);
  // The same evidence gives the same files, so that the page and the email agree.
  expect((await reportFiles([found, found])).map(({ sha256 }) => sha256)).toEqual(
    files.map(({ sha256 }) => sha256),
  );
});

test("a report says what the page imitates in words, and names no recipient of the phishing email", async () => {
  const evidence = await gathered();
  const signal = (code: string, points: number) => ({ code, strength: 1, points, params: {} });
  const imitation = {
    protectedDomain: "example-bank.com",
    score: 0.9731,
    imitates: true,
    original: "https://example-bank.com/login",
    signals: [signal("first_observation", 3.25), signal("second_observation", -1.75)],
  };
  const encoded = btoa("ada@example-bank.com");
  const url = `https://someone@shoes.example/a?to=ada%40example-bank.com&id=${encoded}&v=6164614062616e6b2e636f&s=c2hvZXMgYW5kIGhhdHM#eve@example-bank.com`;
  const page = { ...evidence.known!.facts.page!, finalUrl: url, redirects: [url], imitation };
  const reported: typeof evidence = {
    ...evidence,
    known: { ...evidence.known!, facts: { ...evidence.known!.facts, page } },
    threat: {
      ...evidence.threat,
      similarity: 0.9731,
      reasons: [{ code: "page_imitates", params: { score: 0.9731 } }],
      severityReasons: [{ code: "page_imitates", params: { score: 0.9731 } }],
    },
    history: [{ at: 0, field: "page", before: null, after: `200 ${url}`, by: null }],
    origins: { ...evidence.origins, urls: [{ url, source: "submission", seenAt: 0 }] },
  };
  const own = unzipSync(bundleWithReport(reported, { now: 0, signature: null }));
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
  expect(text(own["report.txt"])).toContain(
    'the page imitates our site example-bank.com ("https://example-bank.com/login")\n  - imitation: first observation\n',
  );
  expect(JSON.parse(text(own["evidence.json"]))).toMatchObject({
    similarity: null,
    severity_summary: expect.stringContaining("page imitates the brand"),
    severity_reasons: ["the page imitates the protected brand"],
    severity_reason_codes: ["page_imitates"],
    imitation: {
      original: "https://example-bank.com/login",
      observations: ["first observation"],
      observation_codes: ["first_observation"],
    },
  });
  expect(text(own["internal/inspection.json"])).toContain("ada%40example-bank.com");
  const files = await reportFiles([reported, reported]);
  const inner = Object.values(unzipSync(files.at(-1)!.content)).flatMap((zip) =>
    Object.entries(unzipSync(zip)),
  );
  const shared = [
    text(own["report.txt"]),
    ...files.slice(0, 2).map(({ content }) => text(content)),
    ...inner.map(([name, bytes]) => `${name}: ${text(bytes)}`),
  ].join("\n");
  const stripped =
    "https://someone@shoes.example/a?to=[mailbox removed]&id=[mailbox removed]&v=[mailbox removed]&s=c2hvZXMgYW5kIGhhdHM#[mailbox removed]";
  expect(shared).toContain(
    `"after": "200 ${stripped.replace("someone@shoes.example", "[mailbox removed]")}"`,
  );
  expect(shared).toContain(`"final_url": "${stripped}"`);
  expect(shared).toContain("the page imitates the protected brand");
  expect(shared).not.toContain(encoded);
  expect(shared).not.toMatch(/ada|eve@|second observation|0\.97|3\.25|internal/);
});
