import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { settings } from "./tables.ts";

/** The small facts of an installation. */
export type SettingName = "first_started_at" | "console_password_hash" | "console_password_mark";

export interface Settings {
  get(name: SettingName): string | undefined;
  set(name: SettingName, value: string): void;
}

export function createSettings({ database, clock }: { database: Database; clock: Clock }): Settings {
  const { query } = database;
  const find = query
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, sql.placeholder("name")))
    .prepare();
  return {
    get: (name) => find.get({ name })?.value,
    set(name, value) {
      const row = { value, updatedAt: clock.now() };
      query
        .insert(settings)
        .values({ name, ...row })
        .onConflictDoUpdate({ target: settings.name, set: row })
        .run();
    },
  };
}
