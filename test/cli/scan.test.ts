import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { progressText } from "../../src/cli/commands/scan.ts";
import { permutations } from "../../src/engines/detection/generate/permutations.ts";
import { commandFolder, type CommandFolder } from "../support/command-line.ts";
import { startDnsServer, type DnsServer } from "../support/dns-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

const [earliest] = permutations({ domain: "acme.com", keywords: [], allow: [] }, { minSimilarity: 0.75 });

let dns: DnsServer;
let folder: CommandFolder;
beforeEach(async () => {
  dns = await startDnsServer({
    // These names are resolved first.
    [earliest!.name]: { A: ["192.0.2.2"] },
    "acrne.com": { A: ["192.0.2.1"], NS: ["ns1.host.net"] },
    "acme.net": { MX: [[10, "mx.\u001b[31mevil.net"]], NS: ["ns1.sedoparking.com"] },
  });
});
afterEach(() => {
  dns.stop();
  folder.dispose();
});

function open({ queriesPerSecond = 5_000, lookups = false, more = "" } = {}): CommandFolder {
  folder = commandFolder(`
[server]
listen = "127.0.0.1:0"
[storage]
path = "data/test.db"
[webhooks]
allow_http = true
[scan]
schedule = ""
resolvers = ["127.0.0.1:${dns.server.port}"]
queries_per_second = ${queriesPerSecond}
registration_data = false
screenshots = "off"
[lookups]
enabled = ${lookups}
[[protected_domains]]
domain = "acme.com"
${more}`);
  folder.createDatabase();
  return folder;
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("phishwatch scan", () => {
  test("a scan prints and records existing look-alikes, and prints a summary on standard error", async () => {
    open();
    const { code, out, err } = await folder.run(["scan", "--limit", "600"]);
    expect(code).toBe(0);
    const rows = lines(out).map((line) => line.split("\t"));
    expect(rows.map(([domain, of, type, , outcome]) => [domain, of, type, outcome]).sort()).toEqual([
      ["acme.net", "acme.com", "tld_squatting", "created"],
      ["acrne.com", "acme.com", "homograph", "created"],
      [earliest!.name, "acme.com", earliest!.type, "created"],
    ]);
    expect(out).toContain("192.0.2.1, name server ns1.host.net");
    expect(out).toContain("mail mx.\\u{1b}[31mevil.net, name server ns1.sedoparking.com, parked Sedo");
    expect(err).toContain("600 look-alikes resolved, 3 exist, 0 unknown; 3 threats, 3 of them new");
    const threats = lines((await folder.runHere(["threats", "list", "--json"])).out);
    expect(threats.map((line) => JSON.parse(line).source)).toEqual(["scan", "scan", "scan"]);
  });

  test("a scan enriches the threats that it found if no server runs", async () => {
    folder = commandFolder(`
[storage]
path = "data/test.db"
[scan]
resolvers = ["127.0.0.1:${dns.server.port}"]
queries_per_second = 5000
registration_data = false
screenshots = "off"
[[protected_domains]]
domain = "acme.com"
`);
    const { code, err } = await folder.run(["scan", "--limit", "600"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("enriched 3 of 3 threats\n") });
    const ids = lines((await folder.runHere(["threats", "list", "--json"])).out).map((line) =>
      JSON.parse(line),
    );
    const { id } = ids.find(({ domain }) => domain === "acme.net");
    const shown = JSON.parse((await folder.runHere(["threats", "show", id, "--json"])).out);
    expect(shown).toMatchObject({
      severity: "medium",
      severity_reasons: [
        "the name is the brand under another suffix (similarity 0.98)",
        "a mail server accepts mail for the name",
        "the name is parked (Sedo)",
      ],
      facts: { dns: { exists: "yes", parked: "Sedo" }, page: null },
      looked_at: expect.stringMatching(/Z$/),
    });
    expect(shown.history).toContainEqual({
      at: expect.stringMatching(/Z$/),
      field: "parked",
      before: null,
      after: "Sedo",
      by: null,
    });
    const { out } = await folder.runHere(["threats", "show", id]);
    expect(out).toMatch(/^history +\S.* → /m);
    expect(out).toMatch(/^severity reasons +the name is the brand under another suffix/m);
    expect(out).not.toContain("\u001b");
  }, 60_000);

  test.each([false, true])(
    "a scan stores the address of what it finds without a schedule, with lookups.enabled = %p",
    async (lookups) => {
      open({ lookups });
      const { code } = await folder.run(["scan", "--limit", "600"]);
      expect(code).toBe(0);
      const all = lines((await folder.runHere(["threats", "list", "--json"])).out).map((line) =>
        JSON.parse(line),
      );
      const { id } = all.find(({ domain }) => domain === "acrne.com");
      const shown = JSON.parse((await folder.runHere(["threats", "show", id, "--json"])).out);
      expect(shown).toMatchObject({
        ip_address: "192.0.2.1",
        facts: { dns: { exists: "yes", addresses: ["192.0.2.1"], name_servers: ["ns1.host.net"] } },
        looked_at: expect.stringMatching(/Z$/),
      });
    },
    60_000,
  );

  test("a scan through a resolver that denies every name fails with the reason and exit code 1", async () => {
    dns.stop();
    dns = await startDnsServer({ "acrne.com": { A: ["192.0.2.1"] } }, { denies: () => true });
    open();
    const { code, err } = await folder.run(["scan", "--limit", "100"]);
    expect(code).toBe(1);
    expect(err).toContain('says that not even "com" exists');
    expect(err).toContain("set scan.resolvers");
    const check = await folder.runHere(["check"]);
    expect(check.out).toMatch(/^warning +resolver .*says that not even "com" exists/m);
  });

  test("--json prints one object for each existing look-alike", async () => {
    open();
    const { code, out } = await folder.run(["scan", "Acme.com.", "--limit", "600", "--json"]);
    expect(code).toBe(0);
    const found = lines(out).map((line) => JSON.parse(line));
    expect(found.find(({ domain }) => domain === "acme.net")).toEqual({
      threat_id: expect.stringMatching(/^thr_/),
      domain: "acme.net",
      protected_domain: "acme.com",
      type: "tld_squatting",
      similarity: expect.any(Number),
      outcome: "created",
      addresses: [],
      mail_servers: ["mx.\\u{1b}[31mevil.net"],
      name_servers: ["ns1.sedoparking.com"],
      parked: "Sedo",
    });
  });

  test("a scan rejects a domain that is not protected, and fails with advice if no resolver responds", async () => {
    open();
    const unknown = await folder.run(["scan", "other.com"]);
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.err).toContain("other.com is not a protected domain");
    dns.stop();
    const silent = await folder.run(["scan"]);
    expect(silent.code).toBe(1);
    expect(silent.err).toContain("set scan.resolvers to one that does");
  });

  test("an interrupted scan ends as cancelled and keeps its results", async () => {
    open({ queriesPerSecond: 60 });
    const running = folder.start(["scan"]);
    const printed = running.stdout.getReader().read();
    await printed;
    running.kill("SIGINT");
    expect(await running.exited).toBe(1);
    expect(await new Response(running.stderr).text()).toContain("interrupted; results so far");
    const kept = lines((await folder.runHere(["threats", "list", "--json"])).out).map((line) =>
      JSON.parse(line),
    );
    expect(kept).not.toBeEmpty();
    const shown = JSON.parse((await folder.runHere(["threats", "show", kept[0].id, "--json"])).out);
    expect(shown).toMatchObject({ verified: true, facts: { dns: { exists: "yes" } } });
  });

  test("the server logs start and end of a scan by command line, also of one that is killed", async () => {
    open({ queriesPerSecond: 60, more: `[log]\nformat = "json"` });
    const server = await folder.serve();
    const logged = () =>
      lines(server.err())
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .filter(({ event }) => /^scan\.(started|finished|.*failed)$/.test(event));
    expect((await folder.run(["scan", "--limit", "3"])).code).toBe(0);
    const killed = folder.start(["scan"]);
    await until(() => logged().length === 3, "the start of the second scan is logged", 30_000);
    killed.kill("SIGKILL");
    await until(() => logged().length === 4, "the end of the killed scan is logged", 30_000);
    // Both starts may be logged before the first end.
    const [started] = logged();
    const [finished, failed] = logged().filter(({ event }) => event !== "scan.started");
    expect(started).toMatchObject({ level: "info", trigger: "cli", domains: ["acme.com"] });
    expect(finished).toMatchObject({ scan: started.scan, status: "completed", candidates: 3 });
    expect(failed).toMatchObject({ event: "scan.command_failed", failure: "process_ended" });
    await server.stop();
  }, 120_000);

  test("the next server marks a killed scan as failed, with its event", async () => {
    const receiver = startReceiver();
    open({
      queriesPerSecond: 60,
      more: `[[webhooks.endpoints]]
name = "soc"
url = "${receiver.url}"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
events = ["scan.started", "scan.completed"]`,
    });
    const running = folder.start(["scan"]);
    await running.stdout.getReader().read();
    running.kill("SIGKILL");
    await running.exited;
    const server = await folder.serve();
    const scans = () =>
      receiver.received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type.startsWith("scan."));
    await until(() => scans().length === 2, "both events");
    const [first, last] = scans().sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(first).toMatchObject({
      type: "scan.started",
      data: { scan: { trigger: "cli", status: "running" } },
    });
    const { id } = first.data.scan;
    const error = "the process that ran the scan ended";
    expect(last).toMatchObject({ type: "scan.completed", data: { scan: { id, status: "failed", error } } });
    await server.stop();
    await receiver.stop();
  });
});

describe("phishwatch check", () => {
  test("`check` reports whether the resolvers of scans are reliable", async () => {
    open();
    const honest = await folder.runHere(["check"]);
    expect(honest.out).toContain(
      `ok       resolver 127.0.0.1:${dns.server.port}: says when a name does not exist\n`,
    );
    dns.stop();
    dns = await startDnsServer({ "*.": { A: ["203.0.113.80"] } }, { port: dns.server.port });
    const lying = await folder.runHere(["check"]);
    expect(lying.code).toBe(1);
    expect(lying.out).toMatch(/^error +resolver .*resolves names that do not exist .*203\.0\.113\.80/m);
    dns.stop();
    const silent = await folder.runHere(["check"]);
    expect(silent.out).toMatch(/^warning +resolver .*refuses the connection$/m);
  });
});

test("the progress line of a scan shows percentage, rate and remaining time", () => {
  const counts = { planned: 0, candidates: 0, resolving: 0, unknown: 0, threatsFound: 0, threatsCreated: 0 };
  expect(progressText(counts, 10)).toBe("preparing");
  const half = { ...counts, planned: 5_000, candidates: 2_500, resolving: 12, unknown: 3, threatsCreated: 5 };
  expect(progressText(half, 12_500)).toBe(
    "[############············] 50 % 2,500 of 5,000, 200/s, 13 s left: 12 exist, 3 unknown, 5 new",
  );
});
