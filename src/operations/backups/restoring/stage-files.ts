import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { ApplianceFiles } from "../../../platform/database/files/pending-restore.ts";
import { getChunk, readFileList } from "../repository/file-list.ts";
import type { BackupManifest, FileEntry } from "../repository/format.ts";
import { type BackupStore, StoreError } from "../stores/store.ts";
import { writeFileOf } from "./write-file.ts";
import type { Needs } from "../repository/needs.ts";

/** Files that are written at the same time: each waits for the disk, and for the network. */
const concurrencyMax = 8;
const configurationBytesMax = 1 << 24;

/**
 * Writes the files of a backup to new paths. Folders are created, also for a backup that has no files for them.
 * @returns number of files, and the text of the configuration file; undefined: the backup has none
 * @throws StoreError `damaged` if the backup is not complete, or an error of the system
 */
export async function stageFiles({
  store,
  manifest,
  files,
  signal,
}: Needs<"store" | "manifest" | "signal"> & { files: ApplianceFiles }): Promise<{
  count: number;
  bytes: number;
  configuration: string | undefined;
}> {
  for (const folder of [files.screenshots, files.archive]) await mkdir(folder, { mode: 0o700 });
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let configuration: string | undefined;
  let count = 0;
  let bytes = 0;
  for await (const entry of readFileList(store, manifest)) {
    signal.throwIfAborted();
    count++;
    bytes += entry.bytes;
    // There is room for what the manifest states. A list of more would fill the disk.
    if (count > manifest.files || bytes > manifest.bytes) {
      failure ??= { error: wrongExtent(store, manifest) };
      break;
    }
    if (entry.path === "configuration") {
      configuration = await readText(store, entry);
      continue;
    }
    while (running.size >= concurrencyMax) await Promise.race(running);
    if (failure !== undefined) break;
    const writing: Promise<void> = write(entry)
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => running.delete(writing));
    running.add(writing);
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
  requireExtent({ files: count, bytes }, manifest, store);
  return { count, bytes, configuration };

  async function write(entry: FileEntry): Promise<void> {
    const target = pathIn(files, entry.path);
    await writeFileOf({ store, entry, target, signal });
    // The next backup recognizes a file that has not changed by its time.
    if (entry.modifiedAt !== 0) await utimes(target, entry.modifiedAt / 1_000, entry.modifiedAt / 1_000);
  }
}

/** @throws StoreError if a list of files does not match the manifest */
export function requireExtent(
  { files, bytes }: { files: number; bytes: number },
  manifest: BackupManifest,
  store: Pick<BackupStore, "name">,
): void {
  if (files !== manifest.files || bytes !== manifest.bytes) throw wrongExtent(store, manifest);
}

function wrongExtent({ name }: Pick<BackupStore, "name">, { id, files, bytes }: BackupManifest): StoreError {
  return new StoreError(
    "damaged",
    `${name}: the list of files of the backup ${id} is not one of ${files} files with ${bytes} bytes`,
  );
}

/** @param path as `isFileEntry` accepts it: it has one name after the folder, which contains no slash */
function pathIn(files: ApplianceFiles, path: string): string {
  if (path === "database") return files.database;
  const [folder, name] = path.split("/") as ["screenshots" | "archive", string];
  return join(files[folder], name);
}

/** Returns the configuration file of a backup, or undefined if it has none. @throws StoreError */
export async function readConfiguration(
  store: BackupStore,
  manifest: BackupManifest,
): Promise<string | undefined> {
  for await (const entry of readFileList(store, manifest))
    if (entry.path === "configuration") return readText(store, entry);
  return undefined;
}

async function readText(store: BackupStore, { bytes, chunks }: FileEntry): Promise<string> {
  if (bytes > configurationBytesMax) throw new Error("the configuration file in the backup is too long");
  const parts: Buffer[] = [];
  for (const name of chunks) parts.push(await getChunk(store, name));
  return Buffer.concat(parts).toString("utf8");
}
