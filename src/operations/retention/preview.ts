import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { ScreenshotFolder } from "../../facts/lookups/page/screenshot-files.ts";
import type { OldScreenshots, OldThreats, Summary } from "./old-data.ts";
import type { RetentionRule } from "./tables.ts";

/** Amount and age of the data that a setting deletes. */
export interface Preview extends Summary {
  /** A few names. */
  examples: string[];
  /** About how many bytes this frees in the database and in files, estimated from a sample. */
  bytes: number;
}

/** Maximum number of names that a preview shows. */
const examplesMax = 5;
const sampledFilesMax = 200;
const pause = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Returns a function that previews what a rule deletes at a time. Changes nothing, and yields to other work. */
export function createPreview({
  database,
  files,
  oldThreats,
  oldScreenshots,
}: {
  database: Database;
  files: ScreenshotFolder;
  oldThreats: OldThreats;
  oldScreenshots: OldScreenshots;
}): (rule: RetentionRule, ageMs: number, at: Instant) => Promise<Preview> {
  /** Returns the mean size of screenshots, from a sample. */
  async function meanBytes(ids: readonly string[]): Promise<number> {
    let sum = 0;
    const sample = ids.slice(0, sampledFilesMax);
    for (const id of sample) sum += (await files.read(id))?.length ?? 0;
    return sample.length === 0 ? 0 : sum / sample.length;
  }

  async function ofThreats(status: "false_positive" | "resolved", before: Instant): Promise<Preview> {
    const summary = oldThreats.summary(status, before);
    const first = oldThreats.first(status, before, sampledFilesMax);
    const each = oldThreats.bytesOfOne(status, before) + (await meanBytes(first.map(({ id }) => id)));
    return {
      ...summary,
      examples: first.slice(0, examplesMax).map(({ domain }) => domain),
      bytes: Math.round(each * summary.count),
    };
  }

  async function ofScreenshots(before: Instant): Promise<Preview> {
    const ids: string[] = [];
    const examples: string[] = [];
    let count = 0;
    let oldest: Instant | null = null;
    let newest: Instant | null = null;
    for (let after: number | undefined = 0; after !== undefined; await pause()) {
      const { found, next } = oldScreenshots.page(after, before);
      for (const { id, at, domain } of found) {
        count += 1;
        oldest = Math.min(oldest ?? at, at);
        newest = Math.max(newest ?? at, at);
        if (ids.length < sampledFilesMax) ids.push(id);
        if (examples.length < examplesMax) examples.push(domain);
      }
      after = next;
    }
    return { count, oldest, newest, examples, bytes: Math.round(count * (await meanBytes(ids))) };
  }

  const oldEntries = database.prepare<Summary & { bytes: number | null }, [number]>(
    `select count(*) as count, min(at) as oldest, max(at) as newest,
       sum(80 + length(coalesce(subject, '')) + length(detail)) as bytes
     from audit_log where at < ?`,
  );

  function ofAudit(before: Instant): Preview {
    const row = oldEntries.get(before)!;
    return { ...row, bytes: row.bytes ?? 0, examples: [] };
  }

  return async (rule, ageMs, at) => {
    const before = at - ageMs;
    switch (rule) {
      case "false_positives":
        return ofThreats("false_positive", before);
      case "resolved":
        return ofThreats("resolved", before);
      case "screenshots":
        return ofScreenshots(before);
      case "audit":
        return ofAudit(before);
    }
  };
}
