import type { Config } from "../platform/config/config.ts";
import { loadConfig } from "../platform/config/load.ts";
import { feedName, worldDomains } from "./world/samples.ts";

export const consolePassword = "sandbox-console";
const demonstrationPassword = "phishwatch-demo";
/** Maximum of `inspection.per_minute`. */
const inspectionsPerMinute = 10_000;
/** Schedule of the scans in the samples. */
const nightly = "17 3 * * *";

/** Settings of a sandbox without a configuration file. Everything else has the default of the schema. */
const ownDefaults = `
[scan]
schedule = ""
[takedown]
from = "abuse-reports@example-bank.com"
signature = "Sandbox team, Example Bank"
[log]
level = "warn"
`;

/** Returns the configuration of a demonstration. */
export function demonstrationConfig({
  folder,
  password = demonstrationPassword,
}: {
  /** Absolute path of the folder that the feed reads. */
  folder: string;
  password?: string | undefined;
}): Config {
  const feed = `[[feeds]]\nname = "${feedName}"\npath = ${JSON.stringify(folder)}\n`;
  const config = defaultConfig(feed);
  return { ...config, console: { ...config.console, password } };
}

/**
 * Returns the configuration of a sandbox without a configuration file.
 *
 * @param further entries in TOML
 */
export function defaultConfig(further = ""): Config {
  const loaded = loadConfig({
    path: "sandbox.toml",
    text: `${ownDefaults}${further}`,
    env: {},
    readFile(path) {
      throw new Error(`the sandbox's defaults must not read a file: ${path}`);
    },
  });
  if (!loaded.ok) throw new Error("the sandbox's defaults do not fit the schema");
  const { source: _source, ...config } = loaded.config;
  return config;
}

/**
 * Adapts a configuration to a sandbox: in memory, on loopback, and without lookups that leave the machine.
 *
 * @param options.looksUp for a demonstration: the lookups are replaced by some that find the facts of the samples, and
 *   messages go to this machine only
 */
export function inSandbox(config: Config, port: number, { looksUp = false } = {}): Config {
  const url = `http://127.0.0.1:${port}`;
  const declared = config.protectedDomains.map(({ domain }) => domain);
  const seeded = worldDomains
    .filter((domain) => !declared.includes(domain))
    .map((domain) => ({ domain, keywords: [], allow: [] }));
  return {
    ...config,
    // The file does not describe the settings in effect.
    source: undefined,
    server: {
      ...config.server,
      host: "127.0.0.1",
      port,
      publicUrl: config.server.publicUrlIsDefault ? url : config.server.publicUrl,
      publicUrlIsDefault: false,
      tls: null,
    },
    storage: { path: ":memory:" },
    console: { ...config.console, password: config.console.password ?? consolePassword },
    // The sandbox runs the scans of a schedule over its own DNS.
    scan: {
      ...config.scan,
      schedule: looksUp ? nightly : null,
      registrationData: looksUp,
      screenshots: "off",
    },
    lookups: { enabled: looksUp },
    // Time can stand still, and with it the budget of a minute.
    inspection: { ...config.inspection, perMinute: inspectionsPerMinute },
    certificateLogs: { ...config.certificateLogs, enabled: false },
    // Nothing is worth a backup, and the folder of the file is not the sandbox's to write to.
    backup: { ...config.backup, schedule: null },
    feeds: config.feeds.filter(({ path }) => path !== null),
    traps: { ...config.traps, listen: null },
    webhooks: {
      ...config.webhooks,
      allowHttp: true,
      allowPrivateNetworks: true,
      ...(looksUp && { onlyLoopback: true }),
    },
    protectedDomains: [...config.protectedDomains, ...seeded],
  };
}
