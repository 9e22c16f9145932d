import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeEnd } from "../../src/cli/checks/certificates.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { findExposures, isLocalUrl } from "../../src/platform/config/safety.ts";
import { openOldDatabase } from "../support/old-database.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

const check = (...args: string[]) => folder.runHere(["check", ...args]);
/** Name, size, content and times of everything in the folder. */
const everything = () =>
  readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const { mode, uid, mtimeMs, ctimeMs } = statSync(path);
      const content = statSync(path).isFile() ? Bun.hash(readFileSync(path)) : 0n;
      return { path, mode, uid, mtimeMs, ctimeMs, content };
    });

/** Adds a threat with two reports: one bounced, and one that is due for a follow-up. */
function addBouncedReport(path: string): void {
  const sqlite = new Sqlite(path);
  sqlite.run(
    `insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
       severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token)
     select 'thr_1', min(seq), 'exarnple-bank.com', 'typosquatting', 'active', 'high', 0.9, 'feed', '[]', '[]', 0, 0, 0, '{}', ''
     from protected_domains`,
  );
  sqlite.run(
    `insert into takedowns (seq, threat_seq, domain, protected_domain, reported_at)
     select 1, seq, domain, 'example-bank.com', 0 from threats`,
  );
  for (const [seq, delivery, followUpAt] of [
    [1, "bounced", null],
    [2, "sent", 1],
  ] as const) {
    sqlite.run(
      `insert into takedown_reports (seq, reference, purpose, recipient_kind, recipient_name, recipient_source, method,
         subject, body, language, created_at, channel, delivery, follow_up_at)
       values (?1, 'PW-' || ?1, 'first', 'hoster', 'H', '{}', 'email', 's', 'b', 'en', 0, 'console', ?2, ?3)`,
      [seq, delivery, followUpAt],
    );
    sqlite.run("insert into takedown_report_threats (report_seq, takedown_seq) values (?, 1)", [seq]);
  }
  sqlite.close();
}

describe("the database", () => {
  test("`check` before the first start creates neither the folder nor the database, and says that there is none", async () => {
    const before = everything();
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(
      /^warning +database: .*data\/test\.db does not exist yet; 'phishwatch serve' creates it$/m,
    );
    expect(out).toMatch(/^ok +protected domains: 1$/m);
    expect(existsSync(join(folder.path, "data"))).toBe(false);
    expect(everything()).toEqual(before);
  });

  test("`check` changes no file of a database that is closed, and reports what is in it", async () => {
    await folder.run(["domains", "add", "example-shop.com"]);
    await folder.run(["webhooks", "add", "http://127.0.0.1:9/", "--name", "soc"]);
    await folder.run(["honeytokens", "create", "url", "--name", "wiki"]);
    addBouncedReport(join(folder.path, "data/test.db"));
    const before = everything();
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +database: .*test\.db: ok$/m);
    expect(out).toMatch(/^ok +protected domains: 2$/m);
    expect(out).toMatch(/^ok +endpoint soc: /m);
    expect(out).toMatch(/^warning +traps: beacons: 0, honeytokens: 1;/m);
    expect(out).toMatch(/^warning +takedown reports: 1 report not delivered$/m);
    expect(out).toMatch(/^warning +takedown reports: 1 report due for a follow-up$/m);
    expect(everything()).toEqual(before);
  });

  test("`check` reads a database that a server has open, and leaves no file behind", async () => {
    const server = await folder.serve();
    await folder.run(["domains", "add", "example-shop.com"]);
    const names = () => readdirSync(join(folder.path, "data")).sort();
    // The last file that a start writes.
    await until(() => names().includes("test.db.server"), "the start has ended");
    const before = names();
    expect(before).toContain("test.db-wal");
    expect((await check()).out).toMatch(/^ok +protected domains: 2$/m);
    expect(names()).toEqual(before);
    await server.stop();
    expect(names()).not.toContain("test.db-wal");
  });

  test("`check` compares the configuration file with the database without storing anything", async () => {
    await folder.run(["domains", "list"]);
    const path = join(folder.path, "data/test.db");
    const stored = () => {
      const sqlite = new Sqlite(path, { readonly: true });
      const rows = sqlite.query("select domain from protected_domains").all();
      sqlite.close();
      return rows;
    };
    folder.file("phishwatch.toml", `${defaultConfig}\n[[protected_domains]]\ndomain = "example-shop.com"\n`);
    expect((await check()).out).toMatch(/^ok +protected domains: 2$/m);
    expect(stored()).toEqual([{ domain: "example-bank.com" }]);
  });

  test("`check` migrates only its own copy of a database of an earlier version", async () => {
    const path = join(folder.path, "data/test.db");
    mkdirSync(dirname(path));
    openOldDatabase(path).close();
    const before = everything();
    const { code, out } = await check();
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok +protected domains: 1$/m),
    });
    expect(everything()).toEqual(before);
  });

  test("`check` reports a damaged database and a folder that cannot be created", async () => {
    mkdirSync(join(folder.path, "data"));
    folder.file("data/test.db", "junk that is no database ".repeat(100));
    const damaged = await check();
    expect(damaged.code).toBe(1);
    expect(damaged.out).toMatch(/^error +database: .*damaged or not a database/m);
    folder.file("phishwatch.toml", defaultConfig.replace("data/test.db", "phishwatch.toml/x/test.db"));
    const impossible = await check();
    expect(impossible.code).toBe(1);
    expect(impossible.out).toMatch(
      /^error +data folder: .* cannot be created: .*phishwatch\.toml is not a folder$/m,
    );
  });
});

test("A key cannot be bound to a domain that is not protected, and `check` reports keys that are", async () => {
  const refused = await folder.run(["keys", "create", "--domain", "example-bnak.com"]);
  expect(refused).toMatchObject({
    code: 1,
    out: "",
    err: "phishwatch: there is no protected domain example-bnak.com; add it first\n",
  });
  await folder.run(["domains", "add", "example-shop.com"]);
  expect((await folder.run(["keys", "create", "--name", "shop", "--domain", "example-shop.com"])).code).toBe(
    0,
  );
  expect((await check()).out).not.toContain("API key");
  await folder.run(["domains", "remove", "example-shop.com"]);
  const declared =
    '[[api_keys]]\nname = "ci"\nkey = "a-declared-key-0123456789"\ndomains = ["example-bnak.com"]';
  folder.file("phishwatch.toml", `${defaultConfig}\n${declared}\n`);
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toMatch(
    /^warning +API key shop: bound to example-shop\.com, which is not protected.*revoke the key$/m,
  );
  expect(out).toMatch(
    /^warning +API key ci: bound to example-bnak\.com, which is not protected.*\[\[api_keys\]\]$/m,
  );
});

describe("owners", () => {
  // Only root can give files away.
  test.skipIf(process.getuid?.() !== 0)(
    "`check` says when the data folder belongs to somebody else, and which of its files the server could not open",
    async () => {
      await folder.run(["domains", "list"]);
      chownSync(join(folder.path, "data"), 4242, 4242);
      const { code, out } = await check();
      expect(code).toBe(1);
      expect(out).toMatch(
        /^warning +data folder: .*data belongs to user 4242, but this is user 0: run 'phishwatch serve' as user 4242$/m,
      );
      expect(out).toMatch(/^error +data folder: .*data\/test\.db must belong to user 4242 like the folder/m);
      chownSync(join(folder.path, "data/test.db"), 4242, 4242);
      expect((await check()).out).not.toMatch(/^error/m);
    },
  );
});

describe("secrets in files", () => {
  test("`check` and the log of `serve` warn about secrets that every user of the machine can read, and name no secret", async () => {
    const secret = "a-password-in-the-file";
    const path = folder.file(
      "phishwatch.toml",
      `${defaultConfig}\n[console]\npassword = "${secret}"\n[[api_keys]]\nname = "ci"\nkey = { file = "ci.key" }\n`,
    );
    const key = folder.file("ci.key", "a-declared-key-0123456789");
    for (const file of [path, key]) chmodSync(file, 0o644);
    const open = await check();
    expect(open.code).toBe(0);
    expect(open.out).toMatch(
      /^warning +configuration file: .*contains secrets \(console\.password\) and every user can read it/m,
    );
    expect(open.out).toMatch(
      /^warning +secret file: .*ci\.key contains a secret and every user can read it/m,
    );
    const server = await folder.serve();
    const { err } = await server.stop();
    expect(err).toContain("setup needs attention");
    expect(err).toContain("console.password");
    expect(`${open.out}${err}`).not.toContain(secret);
    for (const file of [path, key]) chmodSync(file, 0o640);
    expect((await check()).out).not.toContain("every user can read it");
  });
});

describe("what the configuration exposes", () => {
  const settings = {
    host: "127.0.0.1",
    port: 8080,
    publicUrl: "http://127.0.0.1:8080",
    publicUrlIsDefault: true,
    tls: null,
    trustedProxies: [] as string[],
    allowedHosts: [],
    metricsToken: null,
  };
  const tls = { certPath: "c", keyPath: "k" };
  const https = "https://phishwatch.example.com";
  test.each<[string, Partial<Config["server"]>, string[]]>([
    ["the default", {}, []],
    ["a proxy that is not trusted", { publicUrl: https }, ["server.trusted_proxies"]],
    ["a proxy that is trusted", { publicUrl: https, trustedProxies: ["127.0.0.1/32"] }, []],
    [
      "all addresses without TLS",
      { host: "0.0.0.0", publicUrl: "http://localhost:8080" },
      ["server.listen", "server.metrics_token"],
    ],
    [
      "all IPv6 addresses without TLS",
      { host: "::", publicUrl: "http://localhost:8080" },
      ["server.listen", "server.metrics_token"],
    ],
    [
      "all addresses with TLS",
      { host: "0.0.0.0", publicUrl: https, tls, metricsToken: "a-token-of-length" },
      [],
    ],
    [
      "all addresses behind a trusted proxy",
      { host: "::", publicUrl: https, trustedProxies: ["10.0.0.0/8"] },
      ["server.metrics_token"],
    ],
    [
      "all addresses behind a proxy that is not trusted",
      { host: "0.0.0.0", publicUrl: https },
      ["server.trusted_proxies", "server.listen", "server.metrics_token"],
    ],
  ])("A check of %s names the settings to change", (_, change, expected) => {
    const config = {
      server: { ...settings, ...change },
      console: { enabled: true, password: null, requireCodes: false, trustedUser: null },
      smtp: null,
    };
    expect(findExposures(config).map(({ setting }): string => setting)).toEqual(expected);
  });

  test.each<[string[], string[]]>([
    [[], ["signs nobody in"]],
    [["127.0.0.1/32", "10.1.2.0/24", "2001:db8::/64"], []],
    [["127.0.0.1/32", "10.0.0.0/8", "::/0"], ["every machine in 10.0.0.0/8 and ::/0 can pass for any user"]],
  ])(
    "A header of a proxy's users is reported unless only the proxy can send it: %j",
    (trustedProxies, expected) => {
      const trustedUser = {
        header: "remote-user",
        groupsHeader: "remote-groups",
        groupsSeparator: "," as const,
        groupRoles: [],
      };
      const found = findExposures({
        server: { ...settings, trustedProxies },
        console: { enabled: true, password: null, requireCodes: false, trustedUser },
        smtp: null,
      }).filter(({ setting }) => setting === "console.trusted_user_header");
      expect(found.map(({ problem }) => problem)).toEqual(
        expected.map((text) => expect.stringContaining(text)),
      );
    },
  );

  test("A mail server on another machine without encryption is reported, with whether a password is sent", () => {
    const smtp = { port: 25, from: "a@b.example", caFile: null, username: null, password: null };
    const advice = (host: string, given: Partial<NonNullable<Config["smtp"]>> = {}) =>
      findExposures({
        server: settings,
        console: { enabled: true, password: null, requireCodes: false, trustedUser: null },
        smtp: { ...smtp, host, tls: "none", ...given },
      }).map((exposure) => `${exposure.setting}: ${exposure.problem}`);
    expect(advice("127.0.0.1")).toEqual([]);
    expect(advice("mail.example.com", { tls: "starttls" })).toEqual([]);
    expect(advice("mail.example.com")).toEqual([
      expect.stringMatching(/^smtp\.tls: emails cross the network/),
    ]);
    expect(advice("10.0.0.1", { username: "u", password: "p" })).toEqual([
      expect.stringContaining("emails and the password cross"),
    ]);
  });

  test("`check` and the log of `serve` warn about a proxy without `trusted_proxies`, once", async () => {
    const behindProxy = '[server]\npublic_url = "https://phishwatch.example.com"';
    folder.file("phishwatch.toml", defaultConfig.replace("[server]", behindProxy));
    expect((await check()).out).toMatch(
      /^warning +server\.trusted_proxies: .*all visitors count as one address/m,
    );
    const server = await folder.serve();
    const { err } = await server.stop();
    expect(err.match(/server\.trusted_proxies/g)).toHaveLength(1);
  });
});

describe("certificates", () => {
  const dayMs = 86_400_000;
  const now = Date.UTC(2026, 0, 15);
  test.each([
    [now - 1, "error", "expired on 2026-01-14 23:59 UTC; renew it"],
    [now + 3.5 * dayMs, "warning", "expires in 4 days, on 2026-01-18 12:00 UTC; renew it"],
    [now + 14 * dayMs, "warning", "expires in 14 days, on 2026-01-29 00:00 UTC; renew it"],
    [now + 14 * dayMs + 1, "ok", "valid until 2026-01-29 00:00 UTC"],
  ] as const)(
    "A certificate is reported from 14 days before its end, and as an error after it: %d",
    (endsAt, state, detail) => {
      expect(describeEnd(endsAt, now)).toEqual({ state, detail });
    },
  );
});

test("an address that only this machine can open is recognized", () => {
  const urls = ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost", "https://watch.example"];
  expect(urls.filter((url) => !isLocalUrl(url))).toEqual(["https://watch.example"]);
});
