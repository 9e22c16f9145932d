import type { Config } from "../config/config.ts";
import type { Log } from "../lib/log.ts";
import { createConsolePassword } from "./console/password.ts";
import { createKeyUsage } from "./keys/key-usage.ts";
import { createApiKeys } from "./keys/keys.ts";
import { createLastUsedWriter } from "./keys/last-used.ts";
import { createSettings } from "./settings/settings.ts";

/** Constructs the settings, the console's password and the API keys. */
export function openAccess({
  config,
  log,
  ...dependencies
}: Parameters<typeof createApiKeys>[0] & { config: Pick<Config, "console">; log: Log }) {
  const { clock, database, fillRandom } = dependencies;
  const settings = createSettings({ database, clock });
  const { password: configured } = config.console;
  const consolePassword = createConsolePassword({ settings, configured, fillRandom });
  const keys = createApiKeys(dependencies);
  const lastUsedWriter = createLastUsedWriter({ clock, keys, log });
  return { consolePassword, keys, keyUsage: createKeyUsage(), lastUsedWriter, settings };
}
