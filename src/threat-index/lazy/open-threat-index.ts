import { lazy } from "../../lib/startup.ts";
import type { ThreatIndex } from "../threat-index.ts";

/** Returns a function that loads the module and creates the index when it is first called. */
export function openThreatIndex(
  dependencies: Parameters<(typeof import("../threat-index.ts"))["createThreatIndex"]>[0],
): () => ThreatIndex {
  return lazy(() => {
    const module = require("../threat-index.ts") as typeof import("../threat-index.ts");
    return module.createThreatIndex(dependencies);
  });
}
