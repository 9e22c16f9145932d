import type { Database } from "../../database/database.ts";
import { toIsoTime, type Clock } from "../../lib/clock.ts";
import { system } from "../audit/actor.ts";
import type { AuditedKeys } from "../audited-keys.ts";
import type { ConsolePassword } from "./password.ts";
import { scopes } from "../../vocabulary/keys.ts";
import type { Settings } from "../settings/settings.ts";

/** The secrets that were just made, to be shown once: nothing can bring them back. */
export interface FirstStart {
  apiKey?: string;
  consolePassword?: string;
}

/**
 * Makes what a newcomer needs, exactly once: an API key at the first start, unless there is one already
 * (the configuration file may declare some), and a console password when there is none.
 */
export function firstStart({
  database,
  clock,
  settings,
  keys,
  consolePassword,
}: {
  database: Database;
  clock: Clock;
  settings: Settings;
  keys: AuditedKeys;
  consolePassword: ConsolePassword;
}): FirstStart {
  return database.transaction(() => {
    const made: FirstStart = {};
    if (settings.get("first_started_at") === undefined) {
      settings.set("first_started_at", toIsoTime(clock.now()));
      if (keys.list().length === 0) made.apiKey = keys.create({ name: "first start", scopes }, system).key;
    }
    if (!consolePassword.exists()) made.consolePassword = consolePassword.make();
    return made;
  });
}
