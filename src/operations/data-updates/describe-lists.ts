import { listNames, type ListName } from "../../platform/lib/lists/list-texts.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { listDefinitions } from "./list-definitions.ts";
import { isNewer, type StoredUpdate } from "./stored-update.ts";
import { dateOf } from "./update-file.ts";

/** A list that is in effect. */
export interface ListInEffect {
  name: ListName;
  title: string;
  /** `update`: from the data update. */
  origin: "embedded" | "update";
  /** `2026-11-20` */
  date: string;
  ageMs: number;
  isOld: boolean;
}

/** Returns all lists, as a process that starts now uses them. */
export function listsInEffect(stored: StoredUpdate, now: Instant): ListInEffect[] {
  return listNames.map((name) => {
    const { ageMsMax, embeddedDate, title } = listDefinitions[name];
    const updated = stored.state === "used" ? stored.update.lists[name] : undefined;
    const isUpdated = updated !== undefined && isNewer(name, updated.date);
    const date = isUpdated ? updated.date : embeddedDate;
    const ageMs = now - (dateOf(date) ?? now);
    const isOld = ageMsMax !== null && ageMs > ageMsMax;
    return { name, title, origin: isUpdated ? "update" : "embedded", date, ageMs, isOld };
  });
}
