import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { BlockListFormat } from "../../../platform/vocabulary/lists.ts";
import { contentTypeOf, renderList } from "./formats.ts";
import type { List, ListContent } from "./list.ts";

/** A list in one format. */
export interface ListFile {
  contentType: string;
  /** Opaque; another content or format has another tag. */
  tag: string;
  changedAt: Instant;
  /** Rendered at the first call. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Like `bytes`, compressed with gzip. */
  compressed(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Returns the file of a list with this content. */
type FileOf = (list: List, content: ListContent, format: BlockListFormat) => ListFile;

/** Some lists of 100,000 names in several formats. */
const cachedBytesMax = 64 << 20;
/** Level 1 takes a third of the time of level 6, for a file that is a sixth larger. */
const compressionLevel = 1;
const digestCharacters = 32;
const compress = promisify(gzip);

export function createListFiles({ yielder }: { yielder: () => Yielder }): FileOf {
  const cache = createByteCache({ bytesMax: cachedBytesMax });
  return ({ id, name }, content, format) => {
    const { changedAt, digest } = content;
    const tag = `${digest.slice(0, digestCharacters)}-${changedAt / 1_000}-${format}`;
    const key = `${id} ${format}`;
    const bytes = () => cache.get(key, tag, () => renderList(format, { name, content }, yielder()));
    const compressed = async () => new Uint8Array(await compress(await bytes(), { level: compressionLevel }));
    return {
      contentType: contentTypeOf(format),
      tag,
      changedAt,
      bytes,
      compressed: () => cache.get(`${key} gzip`, tag, compressed),
    };
  };
}

/** Bytes that take time to make. */
interface ByteCache {
  /**
   * Returns the bytes with this key and tag, or makes them instead of those with another tag. Calls at the same time
   * share one making.
   */
  get(
    key: string,
    tag: string,
    make: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

interface Entry {
  tag: string;
  made: Promise<Uint8Array<ArrayBuffer>>;
  /** 0 until it is made. */
  bytes: number;
}

/** @param bytesMax beyond it, those that were not used for the longest time are made again */
function createByteCache({ bytesMax }: { bytesMax: number }): ByteCache {
  /** The most recently used one is the last. */
  const cached = new Map<string, Entry>();
  let total = 0;

  function forget(key: string): void {
    total -= cached.get(key)?.bytes ?? 0;
    cached.delete(key);
  }

  function trim(): void {
    for (const key of cached.keys()) {
      if (total <= bytesMax) return;
      forget(key);
    }
  }

  async function measure(key: string, entry: Entry): Promise<void> {
    try {
      const { length } = await entry.made;
      if (cached.get(key) !== entry) return;
      entry.bytes = length;
      total += length;
      trim();
    } catch {
      // The callers receive the error, and the next call tries again.
      if (cached.get(key) === entry) forget(key);
    }
  }

  return {
    get(key, tag, make) {
      const found = cached.get(key);
      if (found?.tag === tag) {
        cached.delete(key);
        cached.set(key, found);
        return found.made;
      }
      forget(key);
      const entry: Entry = { tag, made: make(), bytes: 0 };
      cached.set(key, entry);
      void measure(key, entry);
      return entry.made;
    },
  };
}
