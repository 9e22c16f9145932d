import type { Archive } from "../../src/engines/archive/archive.ts";

/** Returns what an archive contains, as `day source name`, sorted. */
export async function archivedIn(archive: Pick<Archive, "read" | "flush">): Promise<string[]> {
  await archive.flush();
  const all = new Set<string>();
  const { signal } = new AbortController();
  for await (const { day, source, names } of archive.read({ signal })) {
    const date = new Date(day).toISOString().slice(0, 10);
    for (const name of new TextDecoder().decode(names).trimEnd().split("\n"))
      all.add(`${date} ${source} ${name}`);
  }
  return [...all].sort();
}
