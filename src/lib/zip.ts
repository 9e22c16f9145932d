import { zipSync, type Zippable } from "fflate";

/** The first day that the format knows, in local time as it has them: times of making would make every file another. */
const entryTime = new Date(1980, 0, 1);
const levelMax = 9;

/**
 * A ZIP archive of these files, in their order: the same bytes for the same files.
 * @param isPacked whether a file is compressed already; it is then stored as it is
 */
export function zip(
  files: Readonly<Record<string, Uint8Array>>,
  isPacked: (name: string) => boolean = () => false,
): Uint8Array<ArrayBuffer> {
  const entries: Zippable = {};
  for (const [name, bytes] of Object.entries(files))
    entries[name] = [bytes, { mtime: entryTime, level: isPacked(name) ? 0 : levelMax }];
  return zipSync(entries) as Uint8Array<ArrayBuffer>;
}
