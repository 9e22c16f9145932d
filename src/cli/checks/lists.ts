import type { Config } from "../../platform/config/config.ts";
import { listsInEffect } from "../../operations/data-updates/describe-lists.ts";
import { readStoredUpdate, updatePathOf } from "../../operations/data-updates/stored-update.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import type { CheckResult } from "../check-results/check-result.ts";

/** Reports the age of each list that the program contains, and a data update that cannot be used. */
export function embeddedLists(
  { data, storage }: Pick<Config, "data" | "storage">,
  now: Instant,
): CheckResult[] {
  const stored = readStoredUpdate(storage.path, data.trustedKeys);
  const check = "lists";
  const results: CheckResult[] = [];
  if (stored.state === "unusable")
    results.push({
      check,
      what: "data update",
      state: "error",
      detail: `${updatePathOf(storage.path)} cannot be used, so the embedded lists are: ${stored.reason}`,
      change: "import it again with 'phishwatch data update FILE', or run 'phishwatch data remove'",
    });
  for (const { ageMs, date, isOld, origin, title } of listsInEffect(stored, now)) {
    const from = origin === "embedded" ? "embedded" : "from the data update";
    const detail = `of ${date}, ${from}`;
    results.push(
      isOld
        ? {
            check,
            what: title,
            state: "warning",
            detail: `${detail}: ${spanText(ageMs)} old, so what was added since then is not known`,
            change: "run 'phishwatch data update FILE' with a newer update, or upgrade",
          }
        : { check, what: title, state: "ok", detail },
    );
  }
  return results;
}
