import {
  listsInEffect,
  readStoredUpdate,
  updatePathOf,
} from "../../operations/data-updates/stored-update.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { type CheckResult, resultsOf } from "./result.ts";

/** Reports the age of each list that the program contains, and a data update that cannot be used. */
export function embeddedLists(
  { data, storage }: Pick<Config, "data" | "storage">,
  now: Instant,
): CheckResult[] {
  const stored = readStoredUpdate(storage.path, data.trustedKeys);
  const lists = listsInEffect(stored, now).map(({ ageMs, date, isOld, origin, title }) => {
    const results = resultsOf("lists", title);
    const detail = `of ${date}, ${origin === "embedded" ? "embedded" : "from the data update"}`;
    if (!isOld) return results.ok(detail);
    return results.warning(
      `${detail}: ${spanText(ageMs)} old, so what was added since then is not known`,
      "run 'phishwatch data update FILE' with a newer update, or upgrade",
    );
  });
  if (stored.state !== "unusable") return lists;
  const unusable = resultsOf("lists", "data update").error(
    `${updatePathOf(storage.path)} cannot be used, so the embedded lists are: ${stored.reason}`,
    "import it again with 'phishwatch data update FILE', or run 'phishwatch data remove'",
  );
  return [unusable, ...lists];
}
