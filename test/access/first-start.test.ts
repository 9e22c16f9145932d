import { afterEach, beforeEach, expect, test } from "bun:test";
import { createConsolePassword, equalInConstantTime } from "../../src/access/console/password.ts";
import { firstStart } from "../../src/access/console/first-start.ts";
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
  const consolePassword = createConsolePassword({ settings, configured, fillRandom });
  return { keys, consolePassword, start: () => firstStart({ ...stores, settings, keys, consolePassword }) };
}

test("the first start makes a key with all scopes and a password; later ones make neither", async () => {
  const { apiKey, consolePassword } = access().start();
  expect(access().keys.authenticate(apiKey!)?.scopes).toEqual([
    "threats:read",
    "threats:write",
    "candidates:write",
  ]);
  expect(consolePassword).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}$/);
  expect(await access().consolePassword.verify(consolePassword!)).toBe(true);
  expect(await access().consolePassword.verify(consolePassword!.toUpperCase())).toBe(false);
  expect(await access().consolePassword.verify("")).toBe(false);

  expect(access().start()).toEqual({});
  access().keys.revoke(access().keys.list()[0]!.id, { by: analyst });
  expect(access().start()).toEqual({});
});

test("the password is kept as an argon2id hash, the key as its SHA-256", () => {
  const made = access().start();
  const stored = stores.database.sqlite.serialize().toString("latin1");
  expect(stored).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(stored).not.toContain(made.consolePassword!);
  expect(stored).not.toContain(made.apiKey!);
});

test("a configured password wins, and none is made beside it", async () => {
  const { consolePassword } = access("correct horse battery").start();
  expect(consolePassword).toBeUndefined();
  const configured = access("correct horse battery").consolePassword;
  expect(await configured.verify("correct horse battery")).toBe(true);
  expect(await configured.verify("correct horse batterx")).toBe(false);
  // Taken out of the file again, a password has to come from somewhere.
  expect(access().start().consolePassword).toBeDefined();
});

test("no key is made where the configuration file declares some", () => {
  const { keys, start } = access();
  keys.reconcile([
    { name: "ci", key: "declared-in-the-file-1", plan: "pro", scopes: ["threats:read"], domains: [] },
  ]);
  expect(start().apiKey).toBeUndefined();
});

test("texts are compared whole", () => {
  expect(equalInConstantTime("abc", "abc")).toBe(true);
  for (const other of ["", "ab", "abcd", "abd", "Abc"]) expect(equalInConstantTime("abc", other)).toBe(false);
});
