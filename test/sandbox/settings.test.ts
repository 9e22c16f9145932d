import { expect, test } from "bun:test";
import { loadConfig } from "../../src/platform/config/load.ts";
import { defaultConfig, inSandbox } from "../../src/sandbox/settings.ts";

const port = 4_711;

function load(text: string) {
  const loaded = loadConfig({
    path: "sandbox.toml",
    text,
    env: {},
    readFile: () => {
      throw new Error("there is no file");
    },
  });
  if (!loaded.ok) throw new Error("the configuration is invalid");
  return loaded.config;
}

test("a sandbox without a configuration file uses the schema's defaults, in memory and without outside lookups", () => {
  const { source: _source, ...expected } = load(`
[server]
listen = "127.0.0.1:${port}"
public_url = "http://127.0.0.1:${port}"
[storage]
path = ":memory:"
[console]
password = "sandbox-console"
[scan]
schedule = ""
registration_data = false
screenshots = "off"
[webhooks]
allow_http = true
allow_private_networks = true
[lookups]
enabled = false
[inspection]
per_minute = 10000
[takedown]
from = "abuse-reports@example-bank.com"
signature = "Sandbox team, Example Bank"
[log]
level = "warn"
[[protected_domains]]
domain = "example-bank.com"
[[protected_domains]]
domain = "example-shop.com"
[[protected_domains]]
domain = "samplix.org"
`);
  expect({ ...inSandbox(defaultConfig(), port), source: undefined }).toEqual({
    ...expected,
    source: undefined,
    // The default folder is next to the database, which the file names; without a schedule, it is not used.
    backup: { ...expected.backup, schedule: null, location: expect.anything() },
  });
});

test("a sandbox ignores what its configuration file says about lookups, storage, address and TLS", () => {
  const config = inSandbox(
    load(`
[server]
listen = "0.0.0.0:80"
tls_cert = "cert.pem"
tls_key = "key.pem"
[storage]
path = "data/phishwatch.db"
[scan]
schedule = "0 3 * * *"
registration_data = true
screenshots = "auto"
[backup]
schedule = "30 2 * * *"
`),
    port,
  );
  expect(config.server).toMatchObject({ host: "127.0.0.1", port, tls: null });
  expect(config.storage).toEqual({ path: ":memory:" });
  expect(config.lookups).toEqual({ enabled: false });
  expect(config.backup.schedule).toBeNull();
  expect(config.scan).toMatchObject({ schedule: null, registrationData: false, screenshots: "off" });
});
