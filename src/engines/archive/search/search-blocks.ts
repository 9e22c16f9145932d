import { dayMs } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { Archive } from "../archive.ts";
import type { SearchNames } from "./name-searches.ts";
import { prepareSearch, type FoundName } from "./query.ts";
import type { ArchiveHit } from "./search-folder.ts";

/** Searches the blocks of an archive in this thread. Yields each name once, the earliest day first. */
export async function* searchBlocks({
  archive,
  query,
  since = 0,
  source,
  signal,
  onProgress,
  yielder,
}: Parameters<SearchNames>[0] & {
  archive: Pick<Archive, "extent" | "read">;
  yielder: Yielder;
}): AsyncGenerator<ArchiveHit> {
  const search = await prepareSearch(query);
  const { names: namesTotal } = await archive.extent();
  const seen = new Set<string>();
  let names = 0;
  for await (const block of archive.read({ signal })) {
    const { day } = block;
    names += block.count;
    onProgress({ names, namesTotal, damagedBytes: 0 });
    if (day + dayMs <= since || (source !== undefined && block.source !== source)) continue;
    const found: FoundName[] = [];
    search(block.names, (one) => found.push(one));
    for (const one of found) {
      if (seen.has(one.name)) continue;
      seen.add(one.name);
      yield { ...one, day, source: block.source };
    }
    if (yielder.due()) await yielder.pause();
  }
}
