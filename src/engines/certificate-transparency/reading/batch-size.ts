/** Maximum number of entries that are requested with get-entries. */
export const batchMax = 1_024;
/** Full responses in a row after which a larger batch is tried, because a log can change its maximum. */
const fullResponsesUntilLarger = 64;

/** Knowledge about how many entries a log returns at most. */
export interface BatchSize {
  /** Entries to request; requests end at a multiple of it, as caches of logs expect. */
  size: number;
  /** Full responses since the size changed. */
  full: number;
  /** End of the last response, if it was short; otherwise -1. */
  cutAt: number;
}

export const batchAtFirst: BatchSize = { size: batchMax, full: 0, cutAt: -1 };

/** Returns the end (exclusive) of the next request. */
export function batchEnd({ size, cutAt }: BatchSize, { from, to }: { from: number; to: number }): number {
  // A whole batch from the place of a cut shows the log's maximum, whether it cuts at multiples or not.
  return Math.min(to, from === cutAt ? from + size : (Math.floor(from / size) + 1) * size);
}

/**
 * Returns what is known after a response with `count` of `asked` entries from index `from`. A log may return fewer entries
 * than requested (RFC 6962, section 4.6): some cut at their maximum, others at a multiple of it. Only a second short
 * response in a row changes the size: the first one can have begun between two multiples, or be an exception.
 */
export function afterResponse(
  { size, full, cutAt }: BatchSize,
  { from, asked, count }: { from: number; asked: number; count: number },
): BatchSize {
  if (count < asked) return { size: from === cutAt ? count : size, full: 0, cutAt: from + count };
  // A request that was small because of its place proves nothing.
  if (asked < size) return { size, full, cutAt: -1 };
  return full + 1 < fullResponsesUntilLarger
    ? { size, full: full + 1, cutAt: -1 }
    : { size: Math.min(batchMax, size * 2), full: 0, cutAt: -1 };
}

/** Returns a smaller batch, after a response that was too large. */
export function halved({ size }: BatchSize): BatchSize {
  return { size: Math.max(1, Math.floor(size / 2)), full: 0, cutAt: -1 };
}
