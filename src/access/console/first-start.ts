import { toIsoTime } from "../../platform/lib/clock.ts";
import { scopes } from "../../platform/vocabulary/keys.ts";
import { firstAccountName } from "../accounts/accounts.ts";
import { system } from "../audit/actor.ts";
import type { ApiKeys } from "../keys/keys.ts";
import type { Needs } from "./needs.ts";
import type { ConsolePassword } from "./password.ts";

/** Secrets that were just created. They are shown once and cannot be retrieved later. */
export interface FirstStart {
  apiKey?: string;
  consolePassword?: string;
}

export type KeepSecrets = (created: FirstStart) => void;

/**
 * Creates the secrets of a new installation, exactly once: an API key at the first start, unless the configuration
 * file declares one, and a console password when there is none. `keep` receives the secrets, if any, before they are
 * stored: if it throws, nothing is stored and the next start tries again.
 */
export async function firstStart({
  accounts,
  database,
  clock,
  settings,
  keys,
  consolePassword,
  keep,
}: Needs<"accounts" | "clock" | "database" | "settings"> & {
  keys: ApiKeys;
  consolePassword: ConsolePassword;
  keep?: KeepSecrets | undefined;
}): Promise<FirstStart> {
  if (settings.get("first_started_at") !== undefined && consolePassword.exists()) return {};
  // Before the transaction, in which requests would wait for the hash.
  const generated = consolePassword.exists() ? undefined : await consolePassword.generate();
  const create = () => {
    const created: FirstStart = {};
    if (settings.get("first_started_at") === undefined) {
      settings.set("first_started_at", toIsoTime(clock.now()));
      // The migration that created the account does not know the time.
      accounts.update(accounts.require(firstAccountName).seq, { createdAt: clock.now() });
      if (keys.list().length === 0)
        created.apiKey = keys.create({ name: "first start", scopes }, { by: system }).key;
    }
    if (generated !== undefined && !consolePassword.exists()) {
      consolePassword.store(generated);
      created.consolePassword = generated.password;
    }
    if (created.apiKey !== undefined || created.consolePassword !== undefined) keep?.(created);
    return created;
  };
  return database.write(create, { patient: true });
}
