import { stat } from "node:fs/promises";
import type { Clock, Timer } from "../lib/clock.ts";
import { codeOf } from "../lib/errors.ts";

/**
 * Interval between polls. Polling notices what notifications of the system miss: files on network file
 * systems, in volumes of containers, and behind symbolic links that are exchanged.
 */
const intervalMs = 2_000;

/**
 * Calls `onChange` after one of the files has changed, and has then stayed the same from one poll to the next: an editor
 * or a deployment may write in several steps. A file that appears or disappears has changed. Also calls it after the first
 * poll, because a file may have changed after it was read.
 * @param files returns the files to watch, which may change
 */
export function watchFiles(
  clock: Pick<Clock, "after">,
  files: () => readonly string[],
  onChange: () => void,
): { stop(): void } {
  let known: Map<string, string> | undefined;
  let before: Map<string, string> | undefined;
  let timer: Timer | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    const now = await describeAll(files());
    if (stopped) return;
    if (known === undefined) {
      known = now;
      onChange();
    }
    const isStable = before !== undefined && Bun.deepEquals(before, now);
    before = now;
    if (isStable && hasChanged(known, now)) {
      known = now;
      onChange();
    } else if (isStable) known = now;
    schedule();
  }

  function schedule(): void {
    timer = clock.after(intervalMs, () => void poll());
  }

  void poll();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** A file that is watched since the last poll is not a change. */
function hasChanged(known: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return [...now].some(([path, state]) => known.has(path) && known.get(path) !== state);
}

async function describeAll(paths: readonly string[]): Promise<Map<string, string>> {
  const unique = [...new Set(paths)];
  return new Map(await Promise.all(unique.map(async (path) => [path, await describe(path)] as const)));
}

/** Describes the file behind all links. A new file with the same content is another one. */
async function describe(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return String(codeOf(error));
  }
}
