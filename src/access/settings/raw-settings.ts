import type { Database as Sqlite } from "bun:sqlite";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Settings } from "./settings.ts";

/** Settings in a database that is not migrated: for commands that open the file of any version. */
export function rawSettings(sqlite: Sqlite, at: Instant): Settings {
  return {
    get: (name) =>
      sqlite.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?").get(name)?.value,
    set: (name, value) =>
      void sqlite.run(
        "INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        [name, value, at],
      ),
  };
}
