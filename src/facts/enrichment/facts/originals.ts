import type { Settings } from "../../../access/settings/settings.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { CapturedHome } from "../../inspection/originals/capture.ts";
import type { LookUpExistence } from "../../lookups/dns/existence.ts";
import { markKinds, type MarkKind } from "./facts.ts";
import { siteMarksOf, type SiteMarks } from "./site-marks.ts";

/** Addresses of a large site change all the time. */
const valuesMax = 64;

interface Stored {
  marks: SiteMarks;
}

/**
 * Keeps what the protected domains' own sites have, such as addresses: an attacker can point a name there or copy the
 * page, so these are no reason to join threats. Returns the listener for captured home pages.
 */
export function createOriginalMarks({
  database,
  existence: lookUpExistence,
  settings,
}: {
  database: Database;
  existence: LookUpExistence;
  settings: Settings;
}): (home: CapturedHome, signal: AbortSignal) => Promise<void> {
  return async ({ domain, page, protectedDomainSeq }, signal) => {
    const found = await lookUpExistence(domain, { signal });
    if (found.exists !== "yes" || signal.aborted) return;
    const { parked: _parked, sinkholed: _sinkholed, ...existence } = found;
    const marks = siteMarksOf({
      existence: { ...existence, exists: "yes" },
      page: page && { ...page, asksForPassword: true },
      unknown: {},
    });
    const name = `original_marks:${protectedDomainSeq}` as const;
    await database.write(
      () => {
        const stored = storedOf(settings.get(name));
        settings.set(name, JSON.stringify({ marks: merged(marks, stored?.marks) } satisfies Stored));
      },
      { relaxed: true, patient: true },
    );
  };
}

function storedOf(text: string | undefined): Stored | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Stored);
}

/** Returns the present values and earlier ones. Sorted, so that nothing changes if they come in another order. */
function merged(found: SiteMarks, before: SiteMarks | undefined): SiteMarks {
  const valuesOf = (kind: MarkKind) =>
    [...new Set([...found[kind], ...(before?.[kind] ?? [])])].slice(0, valuesMax).toSorted();
  return Object.fromEntries(markKinds.map((kind) => [kind, valuesOf(kind)])) as SiteMarks;
}
