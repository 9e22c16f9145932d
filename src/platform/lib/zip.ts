import { zipSync, type Zippable } from "fflate";

/** ZIP's epoch, in local time as the format requires. A fixed timestamp keeps archives reproducible. */
const entryTime = new Date(1980, 0, 1);
const levelMax = 9;

/**
 * Creates a ZIP archive of the files in their order. The same files give the same bytes.
 * @param isPacked returns whether a file is already compressed and is stored as it is.
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
