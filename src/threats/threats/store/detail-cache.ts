import type { Database } from "../../../platform/database/database.ts";
import type { ThreatDetail } from "./detail-query.ts";
import { createTextCache, type ThreatText } from "./text-cache.ts";

/** Default limit of the memory for texts: about 30,000 threats with short registration data. */
const memoryBytesMax = 32 << 20;

/** A detail in the form in which it is sent. */
export interface RenderedDetail {
  protectedDomain: string;
  text: string;
}

export type DetailCache = (id: string, publicUrl: string) => RenderedDetail | undefined;

/**
 * Returns a lookup that keeps what it has rendered until the threat changes: a repeated lookup takes 0.1 µs instead of 7.
 * Its memory is limited in bytes. It must not be used in a transaction that has changed a threat.
 */
export function createDetailCache({
  database,
  read,
  render,
  bytesMax = memoryBytesMax,
}: {
  database: Pick<Database, "foreignVersion" | "observe" | "prepare">;
  read: (id: string) => ThreatDetail | undefined;
  /** Returns the text of a detail, which may contain the public URL of the server. */
  render: (detail: ThreatDetail, publicUrl: string) => string;
  bytesMax?: number;
}): DetailCache {
  const cache = createTextCache<string, RenderedDetail & ThreatText>({ database, bytesMax });
  return (id, publicUrl) => {
    cache.follow(publicUrl);
    const known = cache.get(id);
    if (known !== undefined) return known;
    const detail = read(id);
    if (detail === undefined) return undefined;
    const { seq, protectedDomain } = detail;
    const entry = { seq, protectedDomain, text: render(detail, publicUrl) };
    // The given ID may be a part of a longer text, which it would keep in memory.
    cache.add(detail.id, entry);
    return entry;
  };
}
