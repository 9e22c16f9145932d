import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Yielder } from "../lib/yielder.ts";
import { openOriginals, type Originals } from "./originals/open-originals.ts";

/** Services that find pages that imitate a protected brand. */
export interface Inspection {
  originals: Originals;
}

export function openInspection(dependencies: {
  database: Database;
  domains: ProtectedDomains;
  yielder: () => Yielder;
}): Inspection {
  return { originals: openOriginals(dependencies) };
}
