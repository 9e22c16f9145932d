/** Writes and reads an object in a store, in a process with an environment of its own. Argument: the location as JSON. */
import { openStore } from "../../src/operations/backups/stores/open-store.ts";
import type { BackupLocation } from "../../src/platform/config/sections/backup.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";

const store = openStore({
  location: JSON.parse(process.argv[2]!) as BackupLocation,
  clock: systemClock,
  fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  signal: new AbortController().signal,
});
await store.put("a", new TextEncoder().encode("stored"));
console.log(new TextDecoder().decode(await store.get("a")));
// A kept connection would keep the process for some seconds.
process.exit(0);
