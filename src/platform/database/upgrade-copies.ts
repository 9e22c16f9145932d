import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileStamp, type Instant } from "../lib/clock.ts";

/** A copy of a database that was made before its upgrade. */
export interface UpgradeCopy {
  path: string;
  /** Version of phishwatch that the copy is of, and that can use it. */
  version: string;
  at: Instant;
  bytes: number;
}

/** Version in the name of a copy of a database that no release wrote. */
export const unreleased = "unreleased";
/** One copy of each of this number of versions is kept; older ones are deleted when another copy is made. */
const versionsKept = 2;
const marker = ".before-upgrade-";

/** Returns the path of a copy that is made at `at`. */
export function upgradeCopyPath(path: string, { version, at }: { version: string; at: Instant }): string {
  const stamp = fileStamp(at);
  return `${stemOf(path)}${marker}${version}-${stamp}.db`;
}

/** Returns the copies of the database at `path`, newest first; none for "", as SQLite names one in memory. */
export function listUpgradeCopies(path: string): UpgradeCopy[] {
  const folder = dirname(path);
  if (path === "" || path === ":memory:" || !existsSync(folder)) return [];
  const start = `${basename(stemOf(path))}${marker}`;
  return readdirSync(folder)
    .flatMap((name) => {
      const [, version, stamp] = namePattern.exec(name.slice(start.length)) ?? [];
      if (!name.startsWith(start) || version === undefined || stamp === undefined) return [];
      const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
      return [{ path: join(folder, name), version, at: Date.parse(isoOf(stamp)), bytes }];
    })
    .sort((one, other) => other.at - one.at);
}

/** Returns all copies but the newest one of each of the last versions. */
export function surplus(copies: readonly UpgradeCopy[]): UpgradeCopy[] {
  const newest = copies.filter(
    ({ version }, index) => copies.findIndex((other) => other.version === version) === index,
  );
  const kept = new Set(newest.slice(0, versionsKept));
  return copies.filter((copy) => !kept.has(copy));
}

const namePattern = /^(\d+\.\d+\.\d+[0-9A-Za-z.-]*|unreleased)-(\d{8}T\d{6})\.db$/;

const isoOf = (stamp: string) => stamp.replace(/^(....)(..)(..)T(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6Z");

const stemOf = (path: string) => path.replace(/\.db$/, "");
