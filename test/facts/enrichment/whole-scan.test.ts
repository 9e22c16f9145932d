import { expect, test } from "bun:test";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { findChromium } from "../../support/chromium.ts";
import { quickest } from "../../support/command-line.ts";
import { asNobody, ownNetwork, sandboxedChromium } from "../../support/own-network.ts";
import { planted } from "../../support/small-world-cases.ts";
import type { Seen, WorldPlan } from "../../support/small-world.ts";

// Runs `phishwatch scan example-bank.com` as a user would, without any test setting: in a network namespace of its own,
// names, registries and web servers are at the addresses and ports of the real ones.

const network = ownNetwork();
const chromium = findChromium();
const user = asNobody();
const sandboxed = network !== undefined && sandboxedChromium() !== undefined;

async function runScan(): Promise<Seen> {
  const folder = temporaryFolder();
  try {
    if (user !== undefined) chownSync(folder.path, user.uid, user.uid);
    const plan: WorldPlan = {
      command: [...(user?.prefix ?? []), ...quickest],
      folder: folder.path,
      uid: user?.uid,
      screenshots: chromium === undefined ? "off" : "auto",
      chromiumArgs: sandboxed ? [] : ["--no-sandbox"],
    };
    const script = join(import.meta.dir, "../../support/small-world.ts");
    const world = Bun.spawn([...network!, process.execPath, script, JSON.stringify(plan)], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 300_000,
    });
    return JSON.parse(await new Response(world.stdout).text()) as Seen;
  } finally {
    folder.dispose();
  }
}

test.skipIf(network === undefined)(
  `a scan finds exactly what was planted, with facts, severities, screenshots and events (Chromium ${chromium === undefined ? "missing" : sandboxed ? "in its sandbox" : "without its sandbox"})`,
  async () => {
    const { again, events, log, screenshots, scan, threats } = await runScan();
    expect({ code: scan.code, err: scan.err }).toEqual({
      code: 0,
      err: expect.stringContaining(`enriched ${planted.length} of ${planted.length} threats`),
    });
    expect(scan.err).toContain(" 11 exist, 3 unknown; 11 threats, 11 of them new");
    expect(scan.found.map(({ domain }) => domain).toSorted()).toEqual(planted.toSorted());
    expect(Object.keys(threats).toSorted()).toEqual(planted.toSorted());

    const registrar = "Cheap Names, Inc.";
    const shown = {
      "examp1e-bank.com": { severity: "high", ip_address: "192.0.0.9", registrar, type: "homograph" },
      "example-bank.net": { severity: "high", ip_address: null, registrar, type: "tld_squatting" },
      "example-bamk.com": { severity: "low", ip_address: "192.0.0.9", registrar, type: "typosquatting" },
      "examplebank.com": { severity: "low", ip_address: "192.0.0.9", registrar },
      "example-bank.org": { severity: "low", ip_address: "64.190.62.22", registrar: null },
      "login-example-bank.com": { severity: "medium", ip_address: "192.0.0.9", registrar: null },
      "secure-example-bank.com": { severity: "low", ip_address: "192.0.0.9", registrar },
      "exmaple-bank.com": { severity: "high", ip_address: "192.0.0.9", registrar },
      "example-bank.ru": { severity: "low", ip_address: null, registrar: "CHEAP-RU" },
      "example-bank.de": { severity: "medium", ip_address: "192.0.0.9", registrar: null },
      "example-bank-login.com": { severity: "high", ip_address: "192.0.0.9", registrar },
    };
    for (const [domain, expected] of Object.entries(shown))
      expect({ domain, ...threats[domain] }).toMatchObject({
        domain,
        status: "active",
        source: "scan",
        ...expected,
      });

    const because = (domain: string) => threats[domain]!.severity_reasons.slice(1);
    const imitates = expect.stringMatching(/^the page imitates the protected brand \(score 0\.\d+\)$/);
    const sameLook = chromium === undefined ? [] : ["the page looks like the original"];
    expect(because("examp1e-bank.com")).toEqual([
      imitates,
      ...sameLook,
      "the page asks for a password",
      "the page names the brand",
      expect.stringMatching(/^the domain was registered recently, on \d{4}-\d\d-\d\d$/),
    ]);
    expect(because("example-bank.net")).toEqual(["a mail server accepts mail for the name"]);
    expect(because("example-bamk.com")).toEqual([
      "the page is unrelated to the brand",
      expect.stringMatching(/^the domain has been registered since \d{4}-\d\d-\d\d$/),
    ]);
    expect(because("examplebank.com")).toEqual(["the page redirects to the protected domain"]);
    expect(because("example-bank.org")).toEqual(["the name is parked (Sedo)"]);
    expect(because("login-example-bank.com")).toEqual([]);
    expect(because("secure-example-bank.com")).toEqual(["a sinkhole took over the name (Shadowserver)"]);
    expect(because("exmaple-bank.com")).toEqual(["the page asks for a card number"]);
    expect(because("example-bank.ru")).toEqual([
      "the name is registered but has no address and no mail server yet",
    ]);
    expect(because("example-bank.de")).toEqual(["the page names the brand"]);
    expect(because("example-bank-login.com")).toEqual([
      imitates,
      ...sameLook,
      "the page asks for a password",
      "the page names the brand",
    ]);

    // The regional registry of the address is queried over HTTPS, like the registries of the domains.
    expect(threats["examp1e-bank.com"]!.facts.networks).toMatchObject([
      {
        addresses: ["192.0.0.9"],
        abuse_email: "abuse@small-host.example",
        source_url: "https://rdap.arin.net/registry/ip/192.0.0.9",
      },
    ]);

    // Every unknown fact has a reason, and no other fact is missing.
    const unknown = (domain: string) => threats[domain]!.facts.unknown;
    expect(unknown("login-example-bank.com").registration).toContain("HTML instead of JSON");
    expect(unknown("login-example-bank.com").page).toContain("169.254.169.254 is a metadata address");
    expect(unknown("example-bank.de")).toEqual({ registration: "whois.denic.de: rate limit exceeded" });
    expect(unknown("example-bank.org").registration).toContain("rate limit exceeded (HTTP status 429)");
    for (const domain of [
      "examp1e-bank.com",
      "example-bank.net",
      "example-bamk.com",
      "example-bank-login.com",
    ])
      expect({ domain, unknown: unknown(domain) }).toEqual({ domain, unknown: {} });

    const captured =
      chromium === undefined
        ? []
        : Object.keys(screenshots).filter((domain) => screenshots[domain]!.type === "image/webp");
    if (chromium !== undefined)
      expect(captured.toSorted()).toEqual(
        [
          "examp1e-bank.com",
          "example-bamk.com",
          "examplebank.com",
          "exmaple-bank.com",
          "example-bank.de",
          "example-bank-login.com",
        ].toSorted(),
      );
    for (const domain of planted)
      expect({ domain, ...screenshots[domain] }).toMatchObject({ domain, status: 200 });
    expect(screenshots["example-bank.net"]!.text).toContain("The name has no addresses.");

    expect(events.map(({ type }) => type)).toEqual([
      "scan.started",
      ...planted.map(() => "threat.created"),
      "scan.completed",
      "scan.started",
      "scan.completed",
    ]);
    const created = events
      .filter(({ type }) => type === "threat.created")
      .map(({ data }) => data.threat.domain);
    expect(created.toSorted()).toEqual(planted.toSorted());
    expect(events.at(-1)!.data.scan).toMatchObject({
      trigger: "cli",
      status: "completed",
      threats_found: 11,
      threats_created: 0,
    });
    // The second scan finds nothing new.
    expect(again.code).toBe(0);
    expect(again.found.map(({ outcome }) => outcome)).toEqual(planted.map(() => "known"));
    expect(log.split("\n").filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
  },
  330_000,
);
