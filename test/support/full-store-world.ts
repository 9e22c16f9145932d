/** Fills the disk of a folder store. Must run in a mount namespace of its own. Prints what it saw as JSON. */
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFolderStore } from "../../src/operations/backups/stores/folder-store.ts";
import { StoreError } from "../../src/operations/backups/stores/store.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-full-store-"));
const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder]);
if (exitCode !== 0) throw new Error("no file system could be mounted");
const store = createFolderStore({ folder, fillRandom: (bytes) => void bytes.fill(7) });
await store.put("backups/first", new Uint8Array(1_000));
const outcomeOf = (put: Promise<void>) =>
  put.then(
    () => "stored",
    (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
  );
const code = await outcomeOf(store.put("backups/second", new Uint8Array(1_000_000)));
const listed: string[] = [];
for await (const { key } of store.list("")) listed.push(key);
const incoming = readdirSync(join(folder, ".incoming"));
const again = await outcomeOf(store.put("backups/third", new Uint8Array(1_000)));
Bun.spawnSync(["mount", "-o", "remount,ro", folder]);
const readOnly = await outcomeOf(store.put("backups/fourth", new Uint8Array(1_000)));
console.log(JSON.stringify({ code, listed, incoming, again, readOnly }));
Bun.spawnSync(["umount", folder]);
