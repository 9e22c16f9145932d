/** Reading yields to other work after this many bytes. */
const yieldBytes = 1 << 20;

/** Bytes that the caller pulls. Memory use is that of the caller's buffer, however long the list is. */
export interface ByteSource {
  /** Fills the start of `into` and returns the number of bytes; 0 at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Continues at another position; absent if that requires reading everything before it. */
  seek?: ((position: number) => void) | undefined;
  /** Number of bytes read from disk so far, before decompression. */
  readonly diskBytes: number;
  /** Name of the first file in an archive, once something was read; undefined if the list is no archive. */
  readonly fileName?: string | undefined;
  close(): Promise<void>;
}

/**
 * Reads the next bytes of a source: `bytesMax` of them, fewer only at its end or once they are `enough`.
 */
export async function readAhead(
  source: ByteSource,
  bytesMax: number,
  enough: (bytes: Uint8Array) => boolean = () => false,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(bytesMax);
  let filled = 0;
  // A pipe may return a single byte first.
  while (filled < bytesMax && !enough(bytes.subarray(0, filled))) {
    const read = await source.read(bytes.subarray(filled));
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

/** Puts bytes that were read from a source back in front of it. */
export function prepend(head: Uint8Array, source: ByteSource): ByteSource {
  let rest = head;
  const { seek } = source;
  return {
    read(into) {
      if (rest.length === 0) return source.read(into);
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return Promise.resolve(taken.length);
    },
    seek:
      seek &&
      ((position) => {
        rest = new Uint8Array(0);
        seek(position);
      }),
    get diskBytes() {
      return source.diskBytes;
    },
    get fileName() {
      return source.fileName;
    },
    close: () => source.close(),
  };
}

/**
 * Makes every read of a source fail with the signal's reason once the signal is aborted, including a read that is
 * waiting for bytes: a pipe may stay silent for hours, and a line may never end.
 *
 * Also yields to other work, such as the signal itself: decompression and standard input from a file never wait for
 * I/O, and no later stage yields in gigabytes without a line feed.
 */
export function abortableBytes(source: ByteSource, signal: AbortSignal): ByteSource {
  const { seek } = source;
  let sinceYield = 0;
  return {
    async read(into) {
      if (sinceYield >= yieldBytes) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        sinceYield = 0;
      }
      const bytes = await unlessAborted(signal, () => source.read(into));
      sinceYield += bytes;
      return bytes;
    },
    seek,
    get diskBytes() {
      return source.diskBytes;
    },
    get fileName() {
      return source.fileName;
    },
    close: () => source.close(),
  };
}

/** Resolves like `work`, or rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  // A listener per call: racing with one promise for the whole list would keep a reaction for each read.
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
