import type { Instant } from "../../platform/lib/clock.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import { alwaysAlerts, visitRules, type VisitClass } from "../../platform/vocabulary/traps.ts";
import {
  noAlert,
  type RawVisit,
  type TrapClassifier,
  type TrapKind,
  type TrapKindDependencies,
  type Visit,
} from "./kind.ts";
import type { TrapStore } from "./trap-store.ts";
import type { Trap } from "./trap.ts";
import { createAlertLimits, type AlertLimits, type AlertLimitSettings } from "./visits/alert-limits.ts";
import type { VisitStore } from "./visits/store.ts";

export interface RecorderSettings extends AlertLimitSettings {
  /** Visits of a visitor within this time after the first one count as repeats. */
  repeatAfterMs: number;
  /** Quiet classes that raise alerts nevertheless. */
  alarmClasses: readonly VisitClass[];
}

/** All visits of one visitor to one trap in one batch. */
interface VisitGroup {
  trap: Trap;
  classifier: TrapClassifier;
  first: Visit;
  visitor: string;
  count: number;
  lastAt: Instant;
}

const isOnlyCounted = (name: VisitClass) => visitRules[name] === "counted";
/** Rows that a trap gains between two checks of their number. */
const rowsBetweenTrims = 500;

/** Creates the function that classifies a batch of visits and writes rows, totals, threats, and events. */
export function createVisitRecorder({
  clock,
  kinds,
  log,
  settings,
  store,
  visits,
  ...dependencies
}: TrapKindDependencies &
  Needs<"clock" | "log"> & {
    kinds: readonly TrapKind[];
    settings: RecorderSettings;
    store: Pick<TrapStore, "find">;
    visits: VisitStore;
  }) {
  const limits = createAlertLimits({ clock, log, settings, visits });
  const classifiers = new Map(kinds.map((kind) => [kind.name, kind.open(dependencies)]));
  const isAlarmClass = (name: VisitClass) => settings.alarmClasses.some((one) => one === name);
  const raisesAlert = (name: VisitClass) => alwaysAlerts(name) || isAlarmClass(name);
  /** Rows written since the last trim, by trap. */
  const written = new Map<string, number>();

  function write({ trap, classifier, first, visitor, count, lastAt }: VisitGroup): void {
    const trapId = trap.id;
    visits.addToTotal(trapId, first.class, count, lastAt);
    if (isOnlyCounted(first.class)) return;
    const open = visits.findOpen(trapId, visitor, first.at - settings.repeatAfterMs, first.at);
    if (open !== undefined) return void visits.addRepeats(open.seq, count, lastAt);
    const outcome = raisesAlert(first.class) ? classifier.alert(first, trap, limits) : noAlert;
    const { at: firstAt, network: _, ...rest } = first;
    visits.insert({ ...rest, ...outcome, trapId, visitor, firstAt, lastAt, count });
    trimSometimes(trapId);
  }

  function trimSometimes(trapId: string): void {
    const rows = (written.get(trapId) ?? 0) + 1;
    written.set(trapId, rows % rowsBetweenTrims);
    if (rows === rowsBetweenTrims) visits.trim(trapId);
  }

  /** Classifies first, so that the caller knows whether the writes must survive a power cut. */
  return (raw: readonly RawVisit[]) => {
    const groups = groupByVisitor(raw, { classifiers, store });
    return {
      mustBeDurable: groups.some(
        ({ first, trap }) => raisesAlert(first.class) && mayReport(first, trap, limits),
      ),
      apply: () => groups.forEach(write),
    };
  };
}

/** Whether a visit of an alerting class may lead to an event: the limits do not apply to events of new threats. */
function mayReport(visit: Visit, trap: Trap, limits: AlertLimits): boolean {
  return visitRules[visit.class] === "threat" || limits.mayReport(trap.id);
}

/** Returns one group per visitor and trap. Visits to traps that were deleted in the meantime are dropped. */
function groupByVisitor(
  raw: readonly RawVisit[],
  {
    classifiers,
    store,
  }: { classifiers: ReadonlyMap<string, TrapClassifier>; store: Pick<TrapStore, "find"> },
): VisitGroup[] {
  const traps = new Map<string, Trap | undefined>();
  const groups = new Map<string, VisitGroup>();
  for (const { observation, kind, trapId, ...rest } of raw) {
    if (!traps.has(trapId)) traps.set(trapId, store.find(trapId));
    const trap = traps.get(trapId);
    const classifier = classifiers.get(kind);
    if (trap === undefined || classifier === undefined) continue;
    const visit: Visit = {
      ...rest,
      ...classifier.classify({ observation, kind, trapId, ...rest }, trap),
    };
    const visitor = isOnlyCounted(visit.class) ? visit.class : visitorOf(visit);
    const key = `${trapId} ${visitor}`;
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { trap, classifier, first: visit, visitor, count: 1, lastAt: visit.at });
    } else {
      known.count += 1;
      known.lastAt = Math.max(known.lastAt, visit.at);
    }
  }
  return [...groups.values()];
}

/** Returns a hash without feasible collisions, so that no visitor can hide behind another. */
function visitorOf({ host, network, userAgent }: Visit): string {
  return Bun.SHA256.hash(`${host ?? ""}\0${network}\0${userAgent ?? ""}`, "hex").slice(0, 32);
}
