import { afterEach, beforeEach, expect, test } from "bun:test";
import { createConsolePassword, equalInConstantTime } from "../../src/access/console/password.ts";
import { firstStart } from "../../src/access/console/first-start.ts";
import { createAccounts } from "../../src/access/accounts/accounts.ts";
import { createPasswordHashes } from "../../src/access/accounts/password-hashes.ts";
import { createApiKeys } from "../../src/access/keys/keys.ts";
import { createSettings } from "../../src/access/settings/settings.ts";
import { fillRandom } from "../support/appliance.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

function access(configured: string | null = null) {
  const settings = createSettings(stores);
  const keys = createApiKeys({ ...stores, fillRandom });
  const config = { password: configured };
  const accounts = createAccounts({ database: stores.database, config });
  const hashes = createPasswordHashes();
  const consolePassword = createConsolePassword({ accounts, settings, config, fillRandom, hashes });
  return {
    keys,
    consolePassword,
    start: () => firstStart({ ...stores, accounts, settings, keys, consolePassword }),
  };
}

test("the first start creates an API key with all scopes and a password, and later starts create neither", async () => {
  const { apiKey, consolePassword } = await access().start();
  expect(access().keys.authenticate(apiKey!)?.scopes).toEqual([
    "threats:read",
    "threats:write",
    "candidates:write",
  ]);
  expect(consolePassword).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}$/);
  expect(await access().consolePassword.verify("admin", consolePassword!)).toBeDefined();
  expect(await access().consolePassword.verify("admin", consolePassword!.toUpperCase())).toBeUndefined();
  expect(await access().consolePassword.verify("admin", "")).toBeUndefined();

  expect(await access().start()).toEqual({});
  access().keys.revoke(access().keys.list()[0]!.id, { by: analyst });
  expect(await access().start()).toEqual({});
});

test("the password is stored as an argon2id hash and the key as its SHA-256", async () => {
  const created = await access().start();
  const stored = stores.database.sqlite.serialize().toString("latin1");
  expect(stored).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(stored).not.toContain(created.consolePassword!);
  expect(stored).not.toContain(created.apiKey!);
});

test("a configured password takes precedence, and no other one is created", async () => {
  const { consolePassword } = await access("correct horse battery").start();
  expect(consolePassword).toBeUndefined();
  const configured = access("correct horse battery").consolePassword;
  expect(await configured.verify("admin", "correct horse battery")).toBeDefined();
  expect(await configured.verify("admin", "correct horse batterx")).toBeUndefined();
  // Without the configured password there would be none.
  expect((await access().start()).consolePassword).toBeDefined();
});

test("no API key is created when the configuration file declares one", async () => {
  const { keys, start } = access();
  keys.reconcile([
    { name: "ci", key: "declared-in-the-file-1", plan: "pro", scopes: ["threats:read"], domains: [] },
  ]);
  expect((await start()).apiKey).toBeUndefined();
});

test("a comparison in constant time covers the whole text", async () => {
  expect(equalInConstantTime("abc", "abc")).toBe(true);
  for (const other of ["", "ab", "abcd", "abd", "Abc"]) expect(equalInConstantTime("abc", other)).toBe(false);
});
