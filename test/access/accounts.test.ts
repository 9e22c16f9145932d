import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAccountCodes } from "../../src/access/accounts/account-codes.ts";
import { createAccountLinks } from "../../src/access/accounts/account-links.ts";
import { createAccountManagement } from "../../src/access/accounts/account-management.ts";
import { createAccounts } from "../../src/access/accounts/accounts.ts";
import { createCodeLimits } from "../../src/access/accounts/code-limits.ts";
import { stepOfCode } from "../../src/access/accounts/one-time-codes.ts";
import { createPasswordHashes } from "../../src/access/accounts/password-hashes.ts";
import { requireGoodPassword } from "../../src/access/accounts/password-rules.ts";
import { readProxyUser } from "../../src/access/accounts/proxy-users.ts";
import { createConsolePassword } from "../../src/access/console/password.ts";
import { createConsoleSessions } from "../../src/access/console/sessions.ts";
import { createSettings } from "../../src/access/settings/settings.ts";
import { migrateDatabase } from "../../src/platform/database/migrate.ts";
import { fillRandom } from "../support/appliance.ts";
import { openReleased, releasedVersions } from "../support/released.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";
import { oneTimeCode } from "../support/one-time-code.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

const options = { by: analyst };
const goodPassword = "correct horse battery";

function open(password: string | null = null) {
  const { auditLog, clock, database, log } = stores;
  const config = { password };
  const accounts = createAccounts({ database, config });
  const codes = createAccountCodes({ accounts, clock, database, fillRandom });
  const links = createAccountLinks({ clock, database, fillRandom });
  const sessions = createConsoleSessions({ clock, database, fillRandom, log });
  let hashed = 0;
  const hashes = createPasswordHashes({
    verify(attempt, hash) {
      hashed += 1;
      return Bun.password.verify(attempt, hash);
    },
  });
  const settings = createSettings({ database, clock });
  const passwords = createConsolePassword({ accounts, config, fillRandom, hashes, settings });
  const given = { accounts, auditLog, clock, codes, database, hashes, links, sessions };
  return { ...given, passwords, hashed: () => hashed, management: createAccountManagement(given) };
}

const actions = () =>
  stores.auditLog.list({}, { limit: 100, offset: 0 }).map(({ action, subject }) => `${action} ${subject}`);

describe("the last administrator who can sign in with a password", () => {
  test("keeps the role and the account, also when two requests remove the last two at once", async () => {
    const { accounts, management } = open(goodPassword);
    const admin = accounts.byName("admin")!;
    for (const attempt of [
      () => management.setRole(admin.seq, "analyst", options),
      () => management.disable(admin.seq, options),
    ])
      expect(attempt).toThrow("This is the last administrator");
    // Who has not accepted the invitation, or whom the proxy signs in, could not sign in when it matters.
    management.invite({ name: "invited", role: "administrator" }, options);
    accounts.insert({ name: "p", role: "administrator", createdAt: 0, passwordHash: null, origin: "proxy" });
    expect(() => management.disable(admin.seq, options)).toThrow("This is the last administrator");
    const other = await management.add(
      { name: "carol", role: "administrator", password: goodPassword },
      options,
    );
    const outcomes = await Promise.allSettled([
      stores.database.write(() => management.disable(admin.seq, options)),
      stores.database.write(() => management.setRole(other.seq, "viewer", options)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(accounts.get(other.seq)!.role).toBe("administrator");
  });
});

describe("an account", () => {
  test("loses its sessions when it is disabled or gets a password, and every change is in the audit log", async () => {
    const { accounts, management, sessions } = open();
    const { account, token } = management.invite({ name: "Alice", role: "viewer" }, options);
    const { seq } = account;
    expect([account.name, account.password, token.length]).toEqual(["alice", null, 43]);
    const signIn = () => sessions.start({ accountSeq: seq, address: null, userAgent: "" });
    signIn();
    await management.setPassword(seq, goodPassword, options);
    expect(sessions.list(seq)).toEqual([]);
    signIn();
    management.disable(seq, options);
    expect([sessions.list(seq), accounts.get(seq)!.disabledAt]).toEqual([[], stores.clock.now()]);
    management.disable(seq, options);
    management.enable(seq, options);
    management.setRole(seq, "analyst", options);
    expect(() => management.withdrawInvitation(seq, options)).toThrow("is not an open invitation");
    // After console.password was removed, admin has no password until the next start.
    expect(() => management.withdrawInvitation(accounts.byName("admin")!.seq, options)).toThrow(
      "admin is not an open invitation",
    );
    expect(actions().toReversed().slice(-5)).toEqual([
      "account.invite alice",
      "account.set_password alice",
      "account.disable alice",
      "account.enable alice",
      "account.change_role alice",
    ]);
    const stored = stores.database.sqlite.serialize().toString("latin1");
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(goodPassword);
  });

  test.each([
    ["", "The name is empty"],
    ["-x", "letters a to z"],
    ["DOMAIN\\alice", "letters a to z"],
    ["a".repeat(65), "letters a to z"],
    ["alice, bob", "letters a to z"],
    // The Kelvin sign, whose lowercase is an ASCII letter.
    ["\u212Aevin", "letters a to z"],
    ["ALICE", "is taken"],
  ])("cannot be named %j", (name, message) => {
    const { management } = open();
    management.invite({ name: "alice", role: "viewer" }, options);
    expect(() => management.invite({ name, role: "viewer" }, options)).toThrow(message);
  });

  test("can be invited although a proxy has created as many as it may", () => {
    const { accounts, management } = open();
    stores.database.sqlite.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO accounts (name, role, created_at, origin) SELECT 'p' || i, 'viewer', 0, 'proxy' FROM n`,
    );
    const row = { role: "viewer", createdAt: 0, passwordHash: null, origin: "proxy" } as const;
    expect(() => accounts.insert({ ...row, name: "one-more" })).toThrow("There are 1000 accounts");
    expect(management.invite({ name: "alice", role: "viewer" }, options).account.name).toBe("alice");
  });

  test.each([
    ["eleven char", "at least 12"],
    ["x".repeat(1_001), "at most 1000"],
    // A sign-in form with it would be too large.
    ["🐟".repeat(400), "too long"],
    ["Bob@Example.com", "name of the account"],
    ["PasswordPassword", "first that an attacker tries"],
    ["aaaaaaaaaaaaaaaa", "first that an attacker tries"],
  ])("cannot have the password %p", (password, message) => {
    expect(() => requireGoodPassword(password, { name: "bob@example.com", field: "password" })).toThrow(
      message,
    );
  });
});

test("each sign-in computes one argon2id hash, whether the name is known, disabled, invited, the proxy's or unknown", async () => {
  const { accounts, hashed, management, passwords } = open(goodPassword);
  const { seq } = await management.add({ name: "alice", role: "viewer", password: goodPassword }, options);
  management.invite({ name: "invited", role: "viewer" }, options);
  accounts.insert({ name: "proxied", role: "viewer", createdAt: 0, passwordHash: null, origin: "proxy" });
  expect(await passwords.verify("Alice", goodPassword)).toMatchObject({ account: { name: "alice" } });
  expect(hashed()).toBe(1);
  management.disable(seq, options);
  const names = ["alice", "invited", "proxied", "nobody", "", "no name \u0000"];
  for (const [index, name] of names.entries()) {
    expect(await passwords.verify(name, goodPassword)).toBeUndefined();
    expect(hashed()).toBe(2 + index);
  }
  expect(await passwords.verify("alice", "")).toBeUndefined();
  expect(await passwords.verify("alice", "x".repeat(10_000))).toBeUndefined();
  expect(hashed()).toBe(names.length + 3);
});

test("the password that 0.3.0 has created becomes that of admin, and the sessions become its sessions", async () => {
  const released = releasedVersions.find(({ version }) => version === "0.3.0")!;
  const sqlite = openReleased(released);
  const hash = await createPasswordHashes().hash(goodPassword);
  sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('console_password_hash', ?, 0)", [hash]);
  sqlite.run("DELETE FROM console_sessions");
  sqlite.run(
    "INSERT INTO console_sessions (hash, user_agent, created_at, last_seen_at) VALUES (x'00', '', 0, 0)",
  );
  migrateDatabase(sqlite);
  expect(
    sqlite
      .query("SELECT name, role, password_hash, account_seq, origin FROM accounts JOIN console_sessions")
      .all(),
  ).toEqual([{ name: "admin", role: "administrator", password_hash: hash, account_seq: 1, origin: "local" }]);
  expect(sqlite.query("SELECT * FROM settings WHERE name = 'console_password_hash'").all()).toEqual([]);
  sqlite.close();
});

describe("a link", () => {
  test("works until it is used, replaced or expired", () => {
    const { accounts, links, management } = open();
    const { account, token } = management.invite({ name: "alice", role: "viewer" }, options);
    expect(links.find(token)).toMatchObject({ accountSeq: account.seq, state: "valid" });
    expect([links.find("x"), links.find("A".repeat(43))]).toEqual([undefined, undefined]);
    const second = management.reset(account.seq, {}, options);
    expect([links.find(token)!.state, links.find(second.token)!.state]).toEqual(["replaced", "valid"]);
    stores.clock.advance(7 * 86_400_000);
    expect(links.find(second.token)!.state).toBe("expired");
    expect(links.ofAccount(account.seq)).toBeUndefined();
    const third = links.create(account.seq);
    links.markUsed(links.find(third.token)!.seq);
    expect(links.find(third.token)!.state).toBe("used");
    expect(() => links.create(account.seq, 1)).toThrow("10 minutes to 30 days");
    management.withdrawInvitation(account.seq, options);
    expect([accounts.byName("alice"), links.find(token)]).toEqual([undefined, undefined]);
  });
});

describe("one-time codes", () => {
  // RFC 6238, appendix B, with the last 6 of the 8 digits.
  test.each([
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ])("are those of RFC 6238 at %i s", (seconds, code) => {
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const step = Math.floor(seconds / 30);
    expect(stepOfCode(secret, code, seconds * 1_000)).toBe(step);
    // One step of tolerance each way.
    const found = [-60, -30, 30, 60].map((offset) => stepOfCode(secret, code, (seconds + offset) * 1_000));
    expect(found).toEqual([undefined, step, step, undefined]);
  });

  test("take effect with the first code, work once, and reject an older one", () => {
    const { accounts, codes } = open();
    const { seq } = accounts.byName("admin")!;
    const secret = codes.begin(seq);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(accounts.get(seq)!.hasCodes).toBe(false);
    expect(codes.confirm(seq, secret, wrong(codeOf(secret)))).toBeUndefined();
    const recovery = codes.confirm(seq, secret, codeOf(secret))!;
    expect(new Set(recovery).size).toBe(10);
    // The code that confirmed is used up as well.
    expect(codes.accept(seq, codeOf(secret))).toBe("used");
    stores.clock.advance(30_000);
    expect(codes.accept(seq, ` ${codeOf(secret).replace(/^.../, "$& ")} `)).toBe("code");
    expect(codes.accept(seq, codeOf(secret))).toBe("used");
    expect(codes.accept(seq, wrong(codeOf(secret)))).toBe("wrong");
    // A text that is also a recovery code would avoid the limit of one-time codes.
    stores.clock.advance(30_000);
    expect(codes.accept(seq, `${codeOf(secret)}${" ".repeat(14)}0123456789`)).toBe("wrong");
    expect(codes.accept(seq, codeOf(secret))).toBe("code");
    expect(codes.accept(seq, recovery[3]!.toUpperCase().replaceAll("-", " "))).toBe("recovery_code");
    expect([codes.accept(seq, recovery[3]!), codes.recoveryCodesLeft(seq)]).toEqual(["wrong", 9]);
    const stored = stores.database.sqlite.serialize().toString("latin1");
    for (const code of recovery) expect(stored).not.toContain(code.replaceAll("-", ""));
    expect(codes.renewRecoveryCodes(seq)).toHaveLength(10);
    expect([codes.accept(seq, recovery[0]!), codes.recoveryCodesLeft(seq)]).toEqual(["wrong", 10]);
    codes.remove(seq);
    expect([accounts.get(seq)!.hasCodes, codes.recoveryCodesLeft(seq)]).toEqual([false, 0]);
  });

  test("are limited per key once ten were wrong, and the limit of one key is not that of another", () => {
    let nowMs = 0;
    const limits = createCodeLimits({ clock: { monotonicMs: () => nowMs } });
    const taken = (key: string) => Array.from({ length: 20 }, () => limits.take(key)).filter(Boolean).length;
    expect([taken("1 "), taken("1 known device"), taken("2 ")]).toEqual([10, 10, 10]);
    limits.giveBack("1 ");
    expect(taken("1 ")).toBe(1);
    nowMs += 300_000;
    expect(taken("1 ")).toBe(1);
    nowMs += 365 * 86_400_000;
    expect(taken("1 ")).toBe(10);
  });
});

function codeOf(secret: string): string {
  return oneTimeCode(secret, stores.clock.now());
}

function wrong(code: string): string {
  return code.replace(/.$/, (digit) => String((Number(digit) + 5) % 10));
}

describe("the header of a proxy", () => {
  const settings = {
    header: "remote-user",
    groupsHeader: "remote-groups",
    groupsSeparator: ",",
    groupRoles: [
      { group: "Staff", role: "viewer" },
      { group: "SOC Leads", role: "administrator" },
    ],
  } as const;
  const read = (headers: [string, string][], trusted = true) =>
    readProxyUser(settings, { headers: new Headers(headers), isFromTrustedProxy: () => trusted });

  test.each<[string, [string, string][], object]>([
    ["nothing", [], { outcome: "none" }],
    ["an empty name", [["Remote-User", " "]], { outcome: "none" }],
    ["a name without a group", [["Remote-User", "alice"]], { outcome: "no_role", name: "alice" }],
    [
      "groups without a role",
      [
        ["Remote-User", "alice"],
        ["Remote-Groups", "staff,SOC"],
      ],
      { outcome: "no_role" },
    ],
    [
      "two groups, of which the higher role counts",
      [
        ["Remote-User", "Alice@Example.com"],
        ["Remote-Groups", "Staff,SOC Leads"],
      ],
      { outcome: "user", name: "alice@example.com", role: "administrator" },
    ],
    [
      "two names, one of which an attacker has added",
      [
        ["Remote-User", "alice"],
        ["Remote-User", "admin"],
        ["Remote-Groups", "Staff"],
      ],
      { outcome: "invalid_name", given: "alice, admin" },
    ],
    [
      "two headers with groups, one of which an attacker has added",
      [
        ["Remote-User", "alice"],
        ["Remote-Groups", "SOC Leads"],
        ["Remote-Groups", "none"],
      ],
      { outcome: "repeated_groups", name: "alice" },
    ],
    [
      "a distinguished name that contains the name of a group",
      [
        ["Remote-User", "alice"],
        ["Remote-Groups", "cn=a,SOC Leads,ou=b"],
      ],
      { outcome: "no_role", name: "alice" },
    ],
    [
      "groups with another separator than the configured one",
      [
        ["Remote-User", "alice"],
        ["Remote-Groups", "Staff|SOC Leads"],
      ],
      { outcome: "no_role", name: "alice" },
    ],
    ["a Windows name", [["Remote-User", "CORP\\alice"]], { outcome: "invalid_name" }],
    ["an encoded name", [["Remote-User", "=?utf-8?q?alice?="]], { outcome: "invalid_name" }],
  ])("with %s", (_, headers, expected) => {
    expect(read(headers)).toMatchObject(expected);
  });

  test("distinguished names are compared as a whole if something else separates them", () => {
    const group = "cn=soc,ou=groups";
    const given = { ...settings, groupsSeparator: "|", groupRoles: [{ group, role: "analyst" }] } as const;
    const headers = new Headers({ "remote-user": "alice", "remote-groups": `staff|${group}` });
    const user = readProxyUser(given, { headers, isFromTrustedProxy: () => true });
    expect(user).toEqual({ outcome: "user", name: "alice", role: "analyst" });
  });

  test("counts only if the proxy is trusted and the setting names it", () => {
    const headers = new Headers({ "remote-user": "alice", "remote-groups": "Staff" });
    expect(read([...headers], false)).toEqual({ outcome: "untrusted" });
    expect(readProxyUser(null, { headers, isFromTrustedProxy: () => true })).toEqual({ outcome: "none" });
  });
});
