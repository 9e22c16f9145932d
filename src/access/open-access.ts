import type { Config } from "../platform/config/config.ts";
import type { Log } from "../platform/lib/log.ts";
import { createAccountCodes } from "./accounts/account-codes.ts";
import { createAccountLinks } from "./accounts/account-links.ts";
import { createAccountManagement } from "./accounts/account-management.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { createPasswordHashes } from "./accounts/password-hashes.ts";
import { firstStart, type KeepSecrets } from "./console/first-start.ts";
import { createConsolePassword } from "./console/password.ts";
import { createConsoleSessions } from "./console/sessions.ts";
import { createConsoleSignIn } from "./console/sign-in.ts";
import { createKeyUsage } from "./keys/key-usage.ts";
import { createApiKeys } from "./keys/keys.ts";
import { createLastUsedWriter } from "./keys/last-uses.ts";
import { createAccountPreferences } from "./settings/account-preferences.ts";
import { createSettings } from "./settings/settings.ts";
import { createSetupChoice } from "./settings/setup-choice.ts";
import { createSavedViews } from "./views/saved-views.ts";

/** Constructs the settings, the console's accounts and sign-in, the API keys and the saved views. */
export function openAccess({
  config,
  log,
  ...dependencies
}: Parameters<typeof createApiKeys>[0] & { config: Pick<Config, "console">; log: Log }) {
  const { auditLog, clock, database, fillRandom } = dependencies;
  const settings = createSettings({ database, clock });
  const hashes = createPasswordHashes();
  const accounts = createAccounts({ database, config: config.console });
  const codes = createAccountCodes({ accounts, clock, database, fillRandom });
  const links = createAccountLinks({ clock, database, fillRandom });
  const sessions = createConsoleSessions({ clock, database, fillRandom, log });
  const consolePassword = createConsolePassword({
    accounts,
    config: config.console,
    fillRandom,
    hashes,
    settings,
  });
  const keys = createApiKeys(dependencies);
  const lastUsedWriter = createLastUsedWriter({ clock, keys, log });
  const signingIn = { accounts, auditLog, clock, codes, database, hashes, links, sessions };
  return {
    accounts,
    accountManagement: createAccountManagement(signingIn),
    consolePassword,
    keys,
    keyUsage: createKeyUsage(),
    lastUsedWriter,
    /** Only the console needs it, which is opened at its first request. */
    openSignIn: () =>
      createConsoleSignIn({
        ...signingIn,
        config: config.console,
        fillRandom,
        log,
        password: consolePassword,
        settings,
      }),
    preferences: createAccountPreferences(settings),
    savedViews: createSavedViews({ auditLog, clock, database }),
    /** Creates the first API key and the console password, exactly once. `keep` receives them before they are stored. */
    firstStart: (keep?: KeepSecrets) =>
      firstStart({ accounts, database, clock, settings, keys, consolePassword, keep }),
    settings,
    setup: createSetupChoice({ clock, settings }),
  };
}
