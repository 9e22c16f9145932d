import type { Database } from "../../platform/database/database.ts";
import type { Clock, Instant } from "../../platform/lib/clock.ts";
import type { ScreenshotFolder } from "../../facts/lookups/page/screenshot-files.ts";
import type { Notices } from "./notices.ts";
import type { OldScreenshots, OldThreats } from "./old-data.ts";
import type { RetentionRule } from "./tables.ts";

const auditRowsPerStep = 500;
const background = { patient: true };
const pause = () => new Promise<void>((resolve) => void setImmediate(resolve));

interface Dependencies {
  clock: Pick<Clock, "now">;
  database: Database;
  files: ScreenshotFolder;
  isStopped: () => boolean;
  notices: Notices;
  oldScreenshots: OldScreenshots;
  oldThreats: OldThreats;
}

/** Deletes what the rules in effect cover, in short transactions. */
export function createDeleter(dependencies: Dependencies) {
  const { clock, database, files, isStopped, notices, oldScreenshots, oldThreats } = dependencies;
  /** Files are left over if the process is killed between the commit and their deletion. */
  let mustSweep = true;

  /** Deletes until `step` finds nothing more. The age is read in each transaction, as a reload may change it. */
  async function deleteAll(
    rule: RetentionRule,
    step: (before: Instant) => { ids: readonly string[]; deleted: number },
  ): Promise<number> {
    let sum = 0;
    while (!isStopped()) {
      const { ids, deleted } = await database.write(() => {
        const age = notices.ageInEffect(rule);
        if (age === null) return { ids: [], deleted: 0 };
        const done = step(clock.now() - age);
        if (done.deleted > 0) notices.count(rule, done.deleted);
        return done;
      }, background);
      if (deleted === 0) return sum;
      sum += deleted;
      for (const id of ids) await files.remove(id);
      await pause();
    }
    return sum;
  }

  /** Deletes the file of a threat that is gone, or whose screenshot was deleted and not taken again since. */
  async function removeUnlessRenewed(id: string): Promise<void> {
    const deletedAt = oldScreenshots.deletedAt(id);
    if (deletedAt === null) return;
    const writtenAt = await files.writtenAt(id);
    if (deletedAt === undefined || (writtenAt !== undefined && writtenAt <= deletedAt))
      await files.remove(id);
  }

  const threatsOf = (rule: RetentionRule, status: "false_positive" | "resolved") =>
    deleteAll(rule, (before) => {
      const ids = oldThreats.deleteSome(status, before, clock.now());
      return { ids, deleted: ids.length };
    });

  const removeEntries = database.prepare<unknown, [number]>(
    `delete from audit_log where seq in (select seq from audit_log where at < ? order by seq limit ${auditRowsPerStep})`,
  );

  return {
    run(rule: RetentionRule): Promise<number> {
      switch (rule) {
        case "false_positives":
          return threatsOf(rule, "false_positive");
        case "resolved":
          return threatsOf(rule, "resolved");
        case "screenshots":
          return deleteScreenshots(dependencies, removeUnlessRenewed);
        case "audit":
          return deleteAll("audit", (before) => ({ ids: [], deleted: removeEntries.run(before) }));
      }
    },
    /** Deletes the files that an earlier process left, once per process and only while something is being deleted. */
    async sweep(): Promise<void> {
      const rules = ["false_positives", "resolved", "screenshots"] as const;
      if (!mustSweep || rules.every((rule) => notices.ageInEffect(rule) === null)) return;
      for (const id of await files.ids()) {
        if (isStopped()) return;
        if (id.startsWith("thr_")) await removeUnlessRenewed(id);
      }
      mustSweep = false;
    },
  };
}

/** Deletes the screenshots that are old, and returns their number. */
async function deleteScreenshots(
  { clock, database, isStopped, notices, oldScreenshots }: Dependencies,
  removeUnlessRenewed: (id: string) => Promise<void>,
): Promise<number> {
  let sum = 0;
  for (let after: number | undefined = 0; after !== undefined && !isStopped(); await pause()) {
    const age = notices.ageInEffect("screenshots");
    if (age === null) return sum;
    const { found, next } = oldScreenshots.page(after, clock.now() - age);
    after = next;
    if (found.length === 0) continue;
    const ids = await database.write(() => {
      const present = notices.ageInEffect("screenshots");
      if (present === null) return [];
      const marked = oldScreenshots.mark(found, clock.now() - present, clock.now());
      notices.count("screenshots", marked.length);
      return marked;
    }, background);
    for (const id of ids) await removeUnlessRenewed(id);
    sum += ids.length;
  }
  return sum;
}
