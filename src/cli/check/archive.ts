import type { ArchiveExtent } from "../../archive/archive.ts";
import { archiveFolder } from "../../archive/files/folder.ts";
import { folderExtent } from "../../archive/files/reading.ts";
import type { Config } from "../../config/config.ts";
import { toIsoTime } from "../../lib/clock.ts";
import { bytesText } from "../../lib/durations.ts";
import { messageOf } from "../../lib/errors.ts";
import { counted } from "../../lib/wording.ts";
import type { CheckResult } from "./check-result.ts";

/** Checks whether the archive of names can be read, and reports how much it contains. */
export async function archiveResult({
  archive,
  storage,
}: Pick<Config, "archive" | "storage">): Promise<CheckResult> {
  const base = { check: "archive", what: "archive" } as const;
  const off = archive.enabled ? "" : "; off: no names are added (archive.enabled)";
  if (storage.path === ":memory:") return { ...base, state: "ok", detail: `in memory${off}` };
  const folder = archiveFolder(storage.path);
  try {
    const extent = await folderExtent(folder);
    return { ...base, state: "ok", detail: `${folder}: ${describe(extent, archive.bytesMax)}${off}` };
  } catch (error) {
    return {
      ...base,
      state: "error",
      detail: `${folder}: it cannot be read: ${messageOf(error)}`,
      change: `let the user of the server own ${folder} and all files in it (chown -R)`,
    };
  }
}

function describe({ names, bytes, oldestDay }: ArchiveExtent, bytesMax: number): string {
  if (oldestDay === null) return "no names yet";
  const since = toIsoTime(oldestDay).slice(0, "2026-01-31".length);
  return `${counted(names, "name")} since ${since}, ${bytesText(bytes)} of ${bytesText(bytesMax)}`;
}
