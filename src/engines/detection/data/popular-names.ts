/** Registrable names that millions use. Apart from the lexicon, as readers of few names need nothing else of it. */
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import embedded from "./popular-names.txt" with { type: "text" };

/** Read at first use, when a data update has replaced the list. */
export const popularNames = lazy(
  (): ReadonlySet<string> =>
    new Set(
      listText("popular_names", embedded)
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#")),
    ),
);

export function isPopularName(registrableDomain: string): boolean {
  return popularNames().has(registrableDomain);
}
