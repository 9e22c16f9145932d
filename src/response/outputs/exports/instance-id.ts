import type { Settings } from "../../../access/settings/settings.ts";
import type { Database } from "../../../platform/database/database.ts";
import { randomHex, type FillRandom } from "../../../platform/lib/ids.ts";

const idBytes = 16;

/**
 * Returns a function that returns the random identifier of this installation, which is created when it is first needed. It
 * makes the objects of two appliances distinct on the platform that imports both.
 */
export function createInstanceId({
  database,
  settings,
  fillRandom,
}: {
  database: Pick<Database, "write">;
  settings: Settings;
  fillRandom: FillRandom;
}): () => Promise<string> {
  return async () =>
    settings.get("instance_id") ??
    (await database.write(() => {
      const stored = settings.get("instance_id");
      if (stored !== undefined) return stored;
      const created = randomHex(fillRandom, idBytes);
      settings.set("instance_id", created);
      return created;
    }));
}
