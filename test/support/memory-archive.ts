import type { Archive, ArchiveBlock } from "../../src/engines/archive/archive.ts";
import type { Instant } from "../../src/platform/lib/clock.ts";
import type { ThreatSource } from "../../src/platform/vocabulary/threats.ts";

const dayMs = 86_400_000;

/** An archive in memory with small blocks, whose reading a test can hold up or let fail. */
export function memoryArchive({ blockNames = 3 } = {}) {
  const groups = new Map<string, Set<string>>();
  let isEnabled = true;
  let beforeBlock: (number: number) => Promise<void> = async () => {};
  let flushes = 0;

  function blocks(): ArchiveBlock[] {
    return [...groups.keys()].sort().flatMap((key) => {
      const [day, source] = key.split(" ");
      const names = [...groups.get(key)!].sort();
      return Array.from({ length: Math.ceil(names.length / blockNames) }, (_, index) => {
        const some = names.slice(index * blockNames, (index + 1) * blockNames);
        return {
          day: Number(day),
          source: source as ThreatSource,
          names: new TextEncoder().encode(some.map((name) => `${name}\n`).join("")),
          count: some.length,
          position: `${key} ${String(index).padStart(6, "0")}`,
        };
      });
    });
  }

  const archive: Archive = {
    add(bytes, { source, seenAt }: { source: ThreatSource; seenAt: Instant }) {
      const key = `${Math.floor(seenAt / dayMs) * dayMs} ${source}`;
      const group = groups.get(key) ?? new Set();
      groups.set(key, group);
      for (const line of new TextDecoder().decode(bytes).split("\n"))
        if (/^[a-z0-9_.-]+\.[a-z0-9-]+$/i.test(line)) group.add(line.toLowerCase());
    },
    flush: async () => void flushes++,
    async *read({ start, signal }) {
      for (const [index, block] of blocks().entries()) {
        if (start !== undefined && block.position <= start) continue;
        await beforeBlock(index);
        if (signal.aborted) return;
        yield block;
      }
    },
    async extent() {
      const all = blocks();
      const names = all.reduce((sum, { count }) => sum + count, 0);
      return { names, bytes: names, oldestDay: all[0]?.day ?? null, newestDay: all.at(-1)?.day ?? null };
    },
    status: () => ({ enabled: isEnabled, names: 0, bytes: 0, oldestDay: null, problem: null }),
    start() {},
    stop: async () => {},
  };
  return {
    archive,
    /** Returns the stored names as `day source name`. */
    names: () =>
      [...groups]
        .flatMap(([key, names]) =>
          [...names].map((name) => {
            const [day, source] = key.split(" ");
            return `${new Date(Number(day)).toISOString().slice(0, 10)} ${source} ${name}`;
          }),
        )
        .sort(),
    flushes: () => flushes,
    enable: (enabled: boolean) => void (isEnabled = enabled),
    /** Calls `wait` before each block, with its number in the archive. */
    onBlock: (wait: typeof beforeBlock) => void (beforeBlock = wait),
  };
}
