import type { Database } from "../../../platform/database/database.ts";
import type { ListedThreat, ListQuery, PageOfList, ThreatFilter } from "./list-query.ts";
import { createTextCache, type ThreatText } from "./text-cache.ts";

/** Limit of the memory for texts: about 11,000 threats. */
const memoryBytesMax = 8 << 20;

/** Returns the texts of the threats on a page, in the order of the list, and the exact total. */
export type ListCache = (
  filter: ThreatFilter,
  page: PageOfList,
  publicUrl: string,
) => { texts: string[]; total: number };

/**
 * Returns pages of the list as texts. Those near the start, which are read again and again, are kept in memory until the
 * threats change: then a page takes a query for the keys of its threats, a fifth of the time. It must not be used in a
 * transaction that has changed a threat.
 */
export function createListCache({
  database,
  query: { list, keysNearStart },
  render,
}: {
  database: Pick<Database, "foreignVersion" | "observe" | "prepare">;
  query: ListQuery;
  /** Returns the text of a threat, which may contain the public URL of the server. */
  render: (threat: ListedThreat, publicUrl: string) => string;
}): ListCache {
  const cache = createTextCache<number, ThreatText>({ database, bytesMax: memoryBytesMax });

  function known(seqs: readonly number[]): string[] | undefined {
    const texts: string[] = [];
    for (const seq of seqs) {
      const entry = cache.get(seq);
      if (entry === undefined) return undefined;
      texts.push(entry.text);
    }
    return texts;
  }

  return (filter, page, publicUrl) => {
    cache.follow(publicUrl);
    const near = keysNearStart(filter, page);
    const texts = near && known(near.seqs);
    if (near !== undefined && texts !== undefined) return { texts, total: near.total };
    const { threats, total } = list(filter, page);
    const entries = threats.map((threat) => ({ seq: threat.seq, text: render(threat, publicUrl) }));
    if (near !== undefined) for (const entry of entries) cache.add(entry.seq, entry);
    return { texts: entries.map(({ text }) => text), total };
  };
}
