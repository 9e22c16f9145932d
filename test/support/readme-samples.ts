import { join, dirname } from "node:path";
import type { App } from "../../src/app.ts";
import type { Actor } from "../../src/access/audit/actor.ts";
import { createEnrichmentStore } from "../../src/enrichment/store.ts";
import type { Facts } from "../../src/enrichment/facts/facts.ts";
import { grayPixels } from "../../src/lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash, visualSimilarity } from "../../src/lookups/page/perceptual-hash.ts";
import { createScreenshotFiles } from "../../src/lookups/page/screenshot-files.ts";
import { toIsoTime } from "../../src/lib/clock.ts";
import { createRandom, type SeededRandom } from "../../src/sandbox/world/random.ts";
import { worldDomains } from "../../src/sandbox/world/defaults.ts";
import { worldEntries } from "../../src/sandbox/world/world.ts";
import type { ThreatSource } from "../../src/vocabulary/threats.ts";
import type { manualClock } from "./appliance.ts";
import { knowAbout } from "./threat-samples.ts";

/** Data of a team after a month of protecting fictitious companies, for the images in the README. */
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const days = 30;
export const readmeNow = Date.UTC(2026, 2, 12, 9, 40);
export const readmeStart = readmeNow - days * dayMs;

const analyst: Actor = { channel: "console", name: null, address: "192.0.2.7" };
const soar: Actor = { channel: "api", name: "SOAR", address: "192.0.2.44" };

type Kind = "clone" | "mail" | "parked" | "absent" | "unrelated" | "nowhere" | "young";

/** The newest threats, chosen for what they show, with their age in hours. */
const newest: readonly [domain: string, hoursAgo: number, source: ThreatSource, kind: Kind][] = [
  ["example-bаnk.com", 31, "certificate_transparency", "young"],
  ["example-bank.com-id.top", 26, "certificate_transparency", "clone"],
  ["exampIe-bank.net", 22.4, "feed", "parked"],
  ["example-shop-refund.com", 20.1, "submission", "mail"],
  ["example-bank-login.com", 14.5, "certificate_transparency", "clone"],
  ["samplix-cloud.com", 11.2, "scan", "mail"],
  ["exämple-bank.com", 5.8, "feed", "young"],
  ["exarnple-bank.com", 2.3, "certificate_transparency", "clone"],
  ["examp1e-shop.com", 0.6, "scan", "young"],
];
const shownDomain = "exarnple-bank.com";

const kinds: readonly Kind[] =
  "parked mail absent unrelated young parked nowhere absent clone unrelated parked mail absent".split(
    " ",
  ) as Kind[];
const sources: readonly ThreatSource[] = ["scan", "feed", "certificate_transparency", "scan", "submission"];
const registrars = ["Quick Names LLC", "Northern Registry Services Ltd.", "Domainhaus GmbH"];

/**
 * Fills an appliance that was opened at `readmeStart`, day by day, and lets its webhook deliver to `receiverUrl`.
 * Returns the threat that has every kind of fact.
 */
export async function seedReadme(
  app: App,
  clock: ReturnType<typeof manualClock>,
  receiverUrl: string,
  pages: { own: Uint8Array; clone: Uint8Array },
): Promise<string> {
  const random = createRandom(7);
  for (const domain of worldDomains) app.domains.add({ domain }, { by: analyst });
  app.webhooks.endpoints.add({ name: "SOC", url: receiverUrl, events: [] }, { by: analyst });
  app.keys.create({ name: "SOAR", expiresAt: readmeNow + 9 * dayMs }, { by: analyst });
  app.start();
  const waited: string[] = [];
  let shown = "";
  for (const { domain, at, source, kind } of arrivals(random)) {
    clock.jump(at - clock.now());
    const { matches } = await app.candidates.submit([domain], { source });
    // It may also match another protected domain: the first match is the closest.
    const id = matches[0]?.threats[0]?.threatId;
    if (id === undefined) throw new Error(`${domain} resembles no protected domain`);
    const isShown = domain === shownDomain;
    clock.jump(4_000);
    await knowAbout(app, id, factsOf(domain, kind, clock.now(), random), clock.now());
    await app.deliveries.dispatcher.settled();
    if (isShown) {
      shown = id;
      clock.jump(9_000);
      await capture(app, id, factsOf(domain, kind, clock.now(), random), pages, clock.now());
    } else if (at < readmeNow - dayMs) waited.push(id);
    // Decided a day or two later, in the console or through the API.
    if (waited.length > 6) {
      const earlier = waited.shift()!;
      const { severity } = app.threats.get(earlier)!;
      const choice = random.below(10);
      if (severity === "high" ? choice < 8 : choice < 3)
        app.threats.changeStatus(
          [earlier],
          severity !== "low" || choice < 2 ? "resolved" : "false_positive",
          {
            by: choice % 2 === 0 ? analyst : soar,
          },
        );
    }
    await app.deliveries.dispatcher.settled();
  }
  app.threats.notes.add(shown, "Reported to the registrar, ticket 4711. They respond within a day.", {
    by: analyst,
  });
  clock.jump(readmeNow - clock.now());
  await app.deliveries.dispatcher.settled();
  return shown;
}

function arrivals(random: SeededRandom) {
  const chosen = new Set(newest.map(([domain]) => domain));
  let foreign = 0;
  const earlier = worldEntries()
    // Beacons report copied pages; homographs are as rare as usual.
    .filter(({ type, domain }) => type !== "cloned_site" && !chosen.has(domain))
    .filter(({ domain }) => !domain.startsWith("xn--") || ++foreign % 6 === 0)
    .map(({ domain }, index) => ({
      domain,
      // Some days have more threats than others.
      at: readmeStart + hourMs + (random.below(28) + random.below(100) / 100) * dayMs,
      source: sources[index % sources.length]!,
      kind: kinds[index % kinds.length]!,
    }));
  const latest = newest.map(([domain, hours, source, kind]) => ({
    domain,
    at: readmeNow - hours * hourMs,
    source,
    kind,
  }));
  return [...earlier, ...latest].sort((a, b) => a.at - b.at);
}

function factsOf(domain: string, kind: Kind, now: number, random: SeededRandom): Facts {
  if (kind === "absent")
    return {
      existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
      unknown: {},
    };
  const ageDays = { clone: 2, young: 5, mail: 160, parked: 900, unrelated: 2_300, nowhere: 40 }[kind];
  const created = now - (ageDays + random.below(90) / 100) * dayMs;
  const registrar = registrars[random.below(registrars.length)]!;
  const nameServers = kind === "parked" ? ["ns1.parking.example"] : ["ns1.dns.example", "ns2.dns.example"];
  const hasPage = kind === "clone" || kind === "unrelated" || kind === "young";
  return {
    existence: {
      exists: "yes",
      addresses: kind === "nowhere" ? [] : [`203.0.113.${1 + random.below(254)}`],
      mailServers: kind === "mail" || kind === "clone" ? [`mx1.${domain}`] : [],
      nameServers,
      wildcard: false,
      ...(kind === "parked" ? { parked: "Sedo" } : {}),
    },
    registration: {
      source: "rdap",
      registrar,
      registrar_iana_id: "9991",
      created_at: toIsoTime(created),
      expires_at: toIsoTime(created + (Math.floor(ageDays / 365) + 1) * 365 * dayMs),
      name_servers: nameServers,
      status: ["client transfer prohibited"],
      dnssec: false,
      abuse_email: `abuse@${registrar.split(" ")[0]!.toLowerCase()}.example`,
      abuse_phone: "+1 555 0100",
      fetched_at: toIsoTime(now),
    },
    ...(hasPage ? { page: pageOf(domain, kind === "clone", now), pageAt: now } : {}),
    unknown: {},
  };
}

function pageOf(domain: string, isClone: boolean, now: number): NonNullable<Facts["page"]> {
  return {
    finalUrl: `https://${domain}/${isClone ? "login" : ""}`,
    redirects: isClone ? [`https://${domain}/`] : [],
    status: 200,
    title: isClone ? "Example Bank – Sign in" : "Welcome",
    asksForPassword: isClone,
    asksForCard: false,
    namesBrand: isClone,
    redirectsToProtected: false,
    certificate: {
      issuer: "R11, Let's Encrypt",
      notBefore: toIsoTime(now - 2 * hourMs),
      notAfter: toIsoTime(now + 90 * dayMs),
    },
  };
}

/** Stores screenshots of both pages and compares them, as enrichment does. */
async function capture(
  app: App,
  id: string,
  facts: Facts,
  { own, clone }: { own: Uint8Array; clone: Uint8Array },
  at: number,
): Promise<void> {
  const pictures = createScreenshotFiles(join(dirname(app.database.path), "screenshots"));
  const domainId = createEnrichmentStore(app.database).protectedDomainIdOf(id)!;
  await Promise.all([pictures.write(id, clone), pictures.write(domainId, own)]);
  const hashOf = async (webp: Uint8Array) => perceptualHash(await grayPixels(webp, hashSide))!;
  const hash = await hashOf(clone);
  const screenshot = {
    at,
    hash,
    visualSimilarity: visualSimilarity(hash, await hashOf(own)),
    atOriginal: false,
  };
  await knowAbout(app, id, { ...facts, screenshot }, at);
}

/** A bank's sign-in page; `copied` differs slightly, as if made by a phishing kit. */
export function bankPage(copied: boolean): string {
  const blue = copied ? "#14508c" : "#0f4c8a";
  return `<!doctype html><meta charset="utf-8"><title>Example Bank – Sign in</title><style>
*{box-sizing:border-box}body{margin:0;height:100vh;display:flex;flex-direction:column;background:#eef3f8;
font:17px system-ui,sans-serif;color:#1b2733}header{background:${blue};color:#fff;padding:26px 64px;display:flex;
justify-content:space-between;align-items:center}b{font-size:30px}nav{display:flex;gap:34px;opacity:.9}
main{flex:1;display:flex;gap:72px;align-items:center;padding:0 64px;background:linear-gradient(120deg,#d5e4f3,#f4f8fc)}
main>div{flex:1}h1{font-size:46px;line-height:1.15;margin:0 0 18px}form{width:430px;background:#fff;padding:36px;
border-radius:12px;box-shadow:0 8px 30px #0f4c8a33}h2{margin:0 0 20px}label{display:block;margin:0 0 6px}
i{display:block;height:46px;border:1px solid #a9b8c8;border-radius:6px;margin:0 0 18px}
u{display:block;background:${blue};color:#fff;text-align:center;padding:14px;border-radius:6px;text-decoration:none}
footer{padding:20px 64px;color:#5b6b7b;font-size:14px}</style>
<header><b>◆ Example Bank</b><nav><span>Accounts</span><span>Cards</span>${copied ? "" : "<span>Loans</span><span>Help</span>"}</nav></header>
<main><div><h1>${copied ? "Please confirm<br>your details" : "Banking that<br>is there for you"}</h1>
<p>${copied ? "Your account is limited until then." : "Your accounts, cards and payments<br>in one place."}</p></div>
<form><h2>Sign in</h2><label>Customer number</label><i></i><label>Password</label><i></i>
<u>Sign in</u></form></main>
<footer>© Example Bank · Privacy · Terms${copied ? "" : " · Security"}</footer>`;
}
