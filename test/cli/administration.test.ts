import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { startDnsServer, type Zones } from "../support/dns-server.ts";
import { startReceiver } from "../support/receiver.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = commandFolder();
  folder.createDatabase();
});
afterEach(() => folder.dispose());

const run = (...args: string[]) => folder.runHere(args);
const rows = async (...args: string[]) => {
  const { code, out } = await run(...args, "--json");
  expect(code).toBe(0);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe("threats", () => {
  beforeEach(async () => {
    const stdin = "example-bank.net\nexample-bank.org\nlogin-example-bank.com\n";
    await folder.run(["import", "-"], { stdin });
  });

  test("`threats list` filters, limits and prints the total", async () => {
    const all = await rows("threats", "list");
    expect(all).toHaveLength(3);
    expect(Object.keys(all[0]!)).toContainValues(["id", "protected_domain", "first_seen", "screenshot_url"]);
    const { out, err } = await run("threats", "list", "--limit", "2");
    expect(out.trimEnd().split("\n")).toHaveLength(3);
    expect(err).toContain("2 of 3 threats");
    expect(await rows("threats", "list", "--status", "resolved")).toEqual([]);
    expect(await rows("threats", "list", "--domain", "EXAMPLE-BANK.COM.")).toHaveLength(3);
    expect(await rows("threats", "list", "--domain", "other.com")).toEqual([]);
    expect((await run("threats", "list", "--domain", "not a name")).code).toBe(2);
  });

  test("`threats show` prints the reasons", async () => {
    const [first] = await rows("threats", "list");
    const [shown] = await rows("threats", "show", String(first!.id));
    expect(shown).toMatchObject({ id: first!.id, whois: {}, ip_address: null, reasons: expect.any(Array) });
    expect((await run("threats", "show", String(first!.id))).out).toContain("reasons");
    const missing = await run("threats", "show", "thr_\u001bnope");
    expect(missing.code).toBe(1);
    expect(missing.err).toContain("there is no threat thr_\\u{1b}nope");
  });

  test("triage takes ids as arguments and from standard input, and prints the outcome of each", async () => {
    const ids = (await rows("threats", "list")).map(({ id }) => String(id));
    const one = await run("threats", "resolve", ids[0]!, "thr_unknown");
    expect(one.code).toBe(1);
    expect(one.out).toBe(`${ids[0]}\tupdated\tresolved\nthr_unknown\tnot_found\t\n`);
    const rest = await folder.run(["threats", "false-positive", "-"], { stdin: `${ids[1]}\n${ids[2]}\n` });
    expect(rest).toMatchObject({
      code: 0,
      out: `${ids[1]}\tupdated\tfalse_positive\n${ids[2]}\tupdated\tfalse_positive\n`,
    });
    const again = await run("threats", "reactivate", ids[0]!, ids[0]!);
    expect(again.out).toBe(`${ids[0]}\tupdated\tactive\n`);
    const [shown] = await rows("threats", "show", ids[0]!);
    const by = { via: "command_line", name: expect.stringMatching(/\S/), address: null };
    expect((shown!.history as unknown[])[0]).toMatchObject({ before: "resolved", after: "active", by });
    expect((await run("threats", "show", ids[0]!)).out).toMatch(
      /status: resolved → active +\(command line \S.*\)/,
    );
    expect((await rows("threats", "list", "--status", "false_positive")).map(({ id }) => id).sort()).toEqual(
      ids.slice(1).sort(),
    );
  });
});

describe("notes", () => {
  test("notes are added from an argument or standard input, and shown with the threat", async () => {
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    const [{ id }] = (await rows("threats", "list")) as [{ id: string }];
    expect((await run("threats", "notes", id, "Written to the registrar.")).code).toBe(0);
    const piped = await folder.run(["threats", "notes", id, "-"], { stdin: "Taken\u202e down.\nReally.\n" });
    expect(piped.code).toBe(0);
    const by = { via: "command_line", name: expect.stringMatching(/\S/), address: null };
    expect(await rows("threats", "notes", id)).toEqual([
      { at: expect.any(String), by, text: "Written to the registrar." },
      { at: expect.any(String), by, text: "Taken\u202e down.\nReally." },
    ]);
    const shown = (await run("threats", "show", id)).out;
    expect(shown).toContain("Taken\\u{202e} down.");
    const [known] = await rows("threats", "show", id);
    expect(known!.notes).toHaveLength(2);
    const refused = await run("threats", "notes", id, " ");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("the note is empty") });
    expect((await run("threats", "notes", "thr_none", "x")).code).toBe(1);
  });
});

describe("evidence", () => {
  test("the evidence bundle is readable by its owner only, and never overwrites a file", async () => {
    await folder.run(["import", "-"], { stdin: "example-bank.net\n" });
    const [{ id }] = (await rows("threats", "list")) as [{ id: string }];
    expect(await run("threats", "evidence", id, "evidence.zip")).toMatchObject({ code: 0, out: "" });
    const path = join(folder.path, "evidence.zip");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Object.keys(unzipSync(readFileSync(path)))).toContain("evidence.json");
    const before = readFileSync(path);
    const again = await run("threats", "evidence", id, "evidence.zip");
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining("already exists") });
    expect(readFileSync(path)).toEqual(before);
    expect((await run("threats", "evidence", "thr_none", "other.zip")).code).toBe(1);
    expect(existsSync(join(folder.path, "other.zip"))).toBe(false);
  });
});

describe("keys", () => {
  test("a new key is the only text on standard output, and is not shown again", async () => {
    const { code, out, err } = await run(
      "keys",
      "create",
      "--name",
      "ci",
      "--plan",
      "free",
      "--scope",
      "threats:read",
      "--expires-in",
      "90d",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^pw_[A-Za-z0-9]{38}\n$/);
    expect(err).not.toContain(out.trim());
    const [listed] = await rows("keys", "list");
    expect(listed).toMatchObject({
      name: "ci",
      plan: "free",
      scopes: ["threats:read"],
      prefix: out.slice(0, 8),
      revoked_at: null,
    });
    expect((await run("keys", "list")).out).not.toContain(out.trim());
    expect((await run("keys", "revoke", out.slice(0, 8))).code).toBe(0);
    expect((await rows("keys", "list"))[0]!.revoked_at).toBeString();
    expect((await run("keys", "list")).out).toContain("revoked");
  });

  test("a key that does not exist cannot be revoked", async () => {
    const { code, err } = await run("keys", "revoke", "pw_none1");
    expect({ code, err }).toEqual({ code: 1, err: "phishwatch: there is no API key pw_none1\n" });
  });
});

describe("domains", () => {
  test("original pages are listed, added and removed, and wrong addresses are explained", async () => {
    const originals = (...args: string[]) => run("domains", "originals", "example-bank.com", ...args);
    const added = await originals("--add", "https://www.example-bank.com/login#top", "--role", "sign_in");
    expect([added.code, added.err]).toEqual([
      0,
      expect.stringContaining("nothing is captured while lookups.enabled is false"),
    ]);
    expect(await rows("domains", "originals", "example-bank.com")).toMatchObject([
      { address: "https://www.example-bank.com/login", role: "sign_in", chosen_by: "person", versions: [] },
    ]);
    const stranger = await originals("--add", "https://stranger.example/login");
    expect([stranger.code, stranger.err]).toEqual([2, expect.stringContaining("allowed name")]);
    expect((await originals("--remove", "https://example-bank.com/none")).code).toBe(2);
    expect((await run("domains", "originals", "none.example")).err).toContain("not a protected domain");
    expect((await originals("--remove", "https://www.example-bank.com/login")).code).toBe(0);
    expect(await rows("domains", "originals", "example-bank.com")).toEqual([]);
  });

  test("domains are added in any form, listed and removed, except those of the configuration file", async () => {
    expect((await run("domains", "add", "Müller-Bank.Example.", "--keyword", "mueller")).code).toBe(0);
    expect((await rows("domains", "list")).map(({ domain, origin }) => [domain, origin])).toEqual([
      ["example-bank.com", "file"],
      [new URL("http://müller-bank.example").hostname, "runtime"],
    ]);
    expect((await run("domains", "add", "example-bank.com")).code).toBe(1);
    const declared = await run("domains", "remove", "example-bank.com");
    expect(declared.code).toBe(1);
    expect(declared.err).toContain("configuration file");
    expect((await run("domains", "remove", "müller-bank.example")).err).toContain("removed");
    expect(await rows("domains", "list")).toHaveLength(1);
  });

  test("a public suffix and an invalid keyword are reported as incorrect usage", async () => {
    const suffix = await run("domains", "add", "com");
    expect(suffix.code).toBe(2);
    expect(suffix.err).toContain(
      'the domain "com" is not a domain name with a label before its public suffix',
    );
    expect((await run("domains", "add", "example.org", "--keyword", "a b")).code).toBe(2);
    expect(await rows("domains", "list")).toHaveLength(1);
  });

  test("`domains change` replaces the given lists and keeps the others", async () => {
    await run("domains", "add", "example-shop.com", "--keyword", "exshop", "--allow", "example-shop.net");
    const change = ["domains", "change", "example-shop.com"];
    const [changed] = await rows(...change, "--keyword", "Kestrel");
    expect(changed).toMatchObject({ keywords: ["kestrel"], allow: ["example-shop.net"] });
    const cleared = await run(...change, "--clear-allow");
    expect(cleared.err).toContain("example-shop.com: keywords kestrel; allow none\n");
    expect((await run(...change)).code).toBe(2);
    expect((await run(...change, "--keyword", "x1", "--clear-keywords")).code).toBe(2);
    const declared = await run("domains", "change", "example-bank.com", "--clear-allow");
    expect(declared).toMatchObject({ code: 1, err: expect.stringContaining("change it there") });
  });

  test("removing a domain with threats disables it and prints their number", async () => {
    await run("domains", "add", "example-shop.com");
    await folder.run(["import", "-"], { stdin: "example-shop.net\nexample-shop.org\n" });
    const [removed] = await rows("domains", "remove", "example-shop.com");
    expect(removed).toEqual({ domain: "example-shop.com", outcome: "disabled", threats_kept: 2 });
    expect((await run("domains", "add", "example-shop.com")).code).toBe(0);
    expect((await run("domains", "remove", "example-shop.com")).err).toBe(
      "disabled: its 2 threats are kept\n",
    );
  });

  test("adding a domain with a common word prints where it counts and what helps; a rare one prints no warning", async () => {
    const common = await run("domains", "add", "chase.com");
    expect(common.code).toBe(0);
    expect(common.err).toMatch(/^brand word "chase": "chase" is a common word.* counts as .* keywords/m);
    const helped = await run("domains", "add", "orange.fr", "--keyword", "orangetelecom");
    expect(helped.err).toContain('brand word "orange": ');
    expect(helped.err).not.toContain("given as keywords");
    expect((await run("domains", "add", "wellsfargo.com")).err).toBe("protected wellsfargo.com\n");
  });
});

describe("webhooks", () => {
  test("an endpoint is added, tested, rotated, disabled and removed; its secret is shown only when it is added", async () => {
    const receiver = startReceiver();
    const added = await run(
      "webhooks",
      "add",
      receiver.url,
      "--name",
      "soc",
      "--event",
      "threat.created",
      "--test",
    );
    expect(added.code).toBe(0);
    const [secret, answer] = added.out.trim().split("\n");
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(answer).toMatch(/^HTTP status 200 in \d+(\.\d+)? ms$/);
    expect(receiver.received).toHaveLength(1);
    expect(await rows("webhooks", "list")).toMatchObject([
      { name: "soc", events: ["threat.created"], enabled: true },
    ]);
    const rotated = await run("webhooks", "rotate", "soc");
    expect(rotated.out).toMatch(/^whsec_/);
    expect(rotated.out.trim()).not.toBe(secret);
    expect(rotated.err).toContain("also signs until");
    expect((await run("webhooks", "rotate", "soc", "--now", "--overlap", "1h")).code).toBe(2);
    await run("webhooks", "disable", "soc");
    const list = await run("webhooks", "list");
    expect(list.out).toContain("disabled");
    expect(list.out).not.toContain("whsec_");
    expect((await run("webhooks", "remove", "soc")).code).toBe(0);
    expect(await rows("webhooks", "list")).toEqual([]);
    await receiver.stop();
  });

  test("the test of an endpoint that does not respond fails", async () => {
    await run("webhooks", "add", "http://127.0.0.1:9/", "--name", "dead");
    const { code, out, err } = await run("webhooks", "test", "dead");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("the ping failed");
  });

  test("a secret is taken from a file or standard input, never from the arguments", async () => {
    const given = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
    const { code, out } = await folder.run(["webhooks", "add", "http://127.0.0.1:9/", "--secret-file", "-"], {
      stdin: `${given}\n`,
    });
    expect({ code, out }).toEqual({ code: 0, out: `${given}\n` });
    expect((await run("webhooks", "add", "http://127.0.0.1:8/", "--secret-file", "none")).err).toContain(
      "cannot read the secret",
    );
  });

  test("an address that is not an allowed destination is rejected with the reason", async () => {
    const { code, err } = await run("webhooks", "add", "https://169.254.169.254/");
    expect(code).toBe(1);
    expect(err).toContain("cannot be delivered to");
  });
});

describe("check", () => {
  test("`check` prints one line for each result, and exits with code 0 if everything works", async () => {
    await run("domains", "list");
    const { code, out } = await run("check");
    expect(code).toBe(0);
    expect(out).toContain("ok       configuration: valid\n");
    expect(out).toMatch(/^ok +database: .*test\.db: ok$/m);
    expect(out).toMatch(/^ok +protected domains: 1$/m);
  });

  test("`check` reports a feed that stopped providing new files, and no feed that is on schedule", async () => {
    const dayMs = 86_400_000;
    for (const [name, newest] of [
      ["late", 5],
      ["daily", 0],
    ] as const) {
      mkdirSync(join(folder.path, name));
      for (let day = newest; day < newest + 5; day++) {
        const path = folder.file(`${name}/${day}.txt`, "a.com\n");
        const at = new Date(Date.now() - day * dayMs - 60_000);
        utimesSync(path, at, at);
      }
    }
    const feeds = `${defaultConfig}[[feeds]]\nname = "late"\npath = "late"\n[[feeds]]\nname = "daily"\npath = "daily"\n`;
    folder.file("phishwatch.toml", feeds);
    const { code, out } = await run("check");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^warning +feed late: .*late: nothing new for 5 days; usually something arrives every 24 h$/m,
    );
    expect(out).toMatch(/^ok +feed daily: .*daily: 5 files$/m);
  });

  test("`check` warns about a paused feed, with the time and who paused it", async () => {
    folder.file("phishwatch.toml", `${defaultConfig}[[feeds]]\nname = "nrd"\npath = "nrd"\n`);
    mkdirSync(join(folder.path, "nrd"));
    await run("domains", "list");
    const sqlite = new Sqlite(join(folder.path, "data/test.db"));
    sqlite.run(
      "INSERT INTO source_pauses (kind, name, paused_at, channel, actor) VALUES ('feed', 'nrd', 1768478400000, 'console', 'admin')",
    );
    sqlite.close();
    expect((await run("check")).out).toMatch(
      /^warning +feed nrd: paused since 2026-01-15 12:00 UTC by admin \(console\), so it reads nothing; resume it on the console's page Sources$/m,
    );
  });

  test("`check` reports each brand keyword that is not matched everywhere, with reason and advice", async () => {
    for (const domain of ["chase.com", "wellsfargo.com"]) await run("domains", "add", domain);
    await run("domains", "add", "x.com", "--keyword", "ex");
    await run("domains", "add", "gov.uk", "--keyword", "hmrc");
    await run("domains", "add", "orange.fr", "--keyword", "orangetelecom");
    const { code, out } = await run("check");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^warning +brand word "chase" of chase\.com: "chase" is a common word; it counts .*keywords/m,
    );
    expect(out).toMatch(
      /^warning +brand word "x" of x\.com: "x" has only 1 character; it is not searched for/m,
    );
    expect(out).toMatch(/^ok +brand word "gov\.uk" of gov\.uk: .*public suffix; it counts only as a whole/m);
    expect(out).toMatch(/^ok +brand word "orange" of orange\.fr: /m);
    expect(out).not.toMatch(/brand word "(wellsfargo|orangetelecom|example-bank)"/);
  });

  test.each([
    ["that does not respond", { "*.": { rcode: "REFUSED" } }, false, "REFUSED"],
    ["that has no internet access", {}, true, 'not even "com" exists'],
  ] as [string, Zones, boolean, string][])("a resolver %s is an error, with advice", async (...given) => {
    const [, zones, denies, message] = given;
    const dns = await startDnsServer(zones, { denies: () => denies });
    try {
      const scan = `[scan]\nschedule = "17 3 * * *"\nresolvers = ["127.0.0.1:${dns.server.port}"]`;
      folder.file("phishwatch.toml", defaultConfig.replace(/\[scan\]\n.*\n.*/, scan));
      const { code, out } = await run("check");
      expect(code).toBe(1);
      expect(out).toMatch(/^error +resolver/m);
      expect(out).toContain(message);
      expect(out).toContain('scan.schedule = ""');
    } finally {
      dns.stop();
    }
  });

  test("a missing feed and an endpoint that does not respond are errors", async () => {
    folder.file("phishwatch.toml", `${defaultConfig}\n[[feeds]]\nname = "nrd"\npath = "none"\n`);
    await run("webhooks", "add", "http://127.0.0.1:9/", "--name", "dead");
    const { code, out, err } = await run("check", "--ping");
    expect(code).toBe(1);
    expect(out).toMatch(/^error +feed nrd: .*none cannot be read: the path does not exist$/m);
    expect(out).toMatch(/^error +endpoint dead: /m);
    expect(err).toContain("2 of ");
  });

  test("certificates that cannot be used are errors", async () => {
    const settings = ["[server]", 'listen = "127.0.0.1:0"', 'tls_cert = "none.pem"', 'tls_key = "none.key"'];
    const scan = ["[scan]", 'schedule = ""', 'resolvers = ["127.0.0.1:9"]', "[lookups]", "enabled = false"];
    const webhooks = ["[webhooks]", 'ca_file = "none-ca.pem"'];
    folder.file("other.toml", [...settings, ...scan, ...webhooks].join("\n"));
    const { code, out, err } = await run("check", "--config", "other.toml");
    expect(code).toBe(1);
    expect(out).toMatch(/^error +server certificate: .*none\.pem .*cannot be used/m);
    expect(out).toMatch(/^error +webhooks\.ca_file: .*none-ca\.pem cannot be used/m);
    expect(err).toContain("2 of ");
  });

  test("an endless secret file is rejected", async () => {
    folder.file("other.toml", '[console]\npassword = { file = "/dev/zero" }\n');
    const { code, err } = await run("check", "--config", "other.toml");
    expect(code).toBe(2);
    expect(err).toContain("the file /dev/zero, which cannot be read");
  });

  test("a database that cannot be opened is reported", async () => {
    rmSync(join(folder.path, "data"), { recursive: true });
    folder.file("data", "a file where the folder should be");
    const { code, out } = await run("check");
    expect(code).toBe(1);
    expect(out).toMatch(/^error +data folder: .*data cannot be created: .*data is not a folder$/m);
  });
});
