import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The database of a sandbox that was told nothing of its own, made when the executable was built: half of what a
 * start would take otherwise. Undefined in the sources, where it is made anew.
 */
export function readPristine(): Uint8Array | undefined {
  // The executable has it beside its code.
  const path = join(import.meta.dir, "sandbox.image");
  return existsSync(path) ? readFileSync(path) : undefined;
}
