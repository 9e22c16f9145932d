import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the database of a sandbox with default options, which `scripts/build` embeds in the executable: building it
 * would take half of the startup time, and even decompressing it 2 ms. Undefined when run from source.
 */
export function readPrebuiltDatabase(): Uint8Array | undefined {
  const path = join(import.meta.dir, "sandbox.image");
  return existsSync(path) ? readFileSync(path) : undefined;
}
