import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement, valuesOf } from "../../platform/database/statement.ts";
import { settings } from "./tables.ts";

type SettingName =
  | "first_started_at"
  | "console_password_mark"
  | "console_device_key"
  | "instance_id"
  | "setup_skipped_at"
  | "setup_test_delivered_at"
  | "backup_outcomes"
  | "severities_left"
  | "site_states_left"
  | "threat_index_copy"
  | "campaigns_position"
  | `original_marks:${number}`
  | `feed_token:${string}`
  | `preferences:${number}`;

/** Values of this installation that phishwatch sets itself. The operator's settings are in the configuration file. */
export interface Settings {
  get(name: SettingName): string | undefined;
  set(name: SettingName, value: string): void;
}

export function createSettings({ database, clock }: Needs<"clock" | "database">): Settings {
  const find = statement(database, (query) =>
    query.select({ value: settings.value }).from(settings).where(hasValue(settings.name)),
  );
  const upsert = statement(database, (query) =>
    query
      .insert(settings)
      .values(valuesOf(settings, "name", "value", "updatedAt"))
      .onConflictDoUpdate({ target: settings.name, set: valuesOf(settings, "value", "updatedAt") }),
  );
  return {
    get: (name) => find.get({ name })?.value,
    set: (name, text) => upsert.run({ name, value: text, updatedAt: clock.now() }),
  };
}
