import { zstdDecompressSync } from "node:zlib";
import { messageOf } from "../../../platform/lib/errors.ts";
import { StoreError, type BackupStore } from "../stores/store.ts";
import { chunkBytesMax, chunkKey } from "./format.ts";

/** Compresses four times faster than the next level, to about the same size. */
const compressionLevel = 3;
/** Smallest buffer that the decompressor accepts. */
const decompressedBytesMin = 64;

/** Compresses content and stores it. Returns the number of bytes that were stored. @throws StoreError */
export async function putChunk(store: BackupStore, name: string, content: Uint8Array): Promise<number> {
  const bytes = Bun.zstdCompressSync(content, { level: compressionLevel });
  await store.put(chunkKey(name), bytes);
  return bytes.length;
}

/**
 * Returns the content of a chunk, which is what it was when its name was computed.
 * @param name as `isFileEntry` and `isManifest` accept it
 * @throws StoreError `damaged` if it is missing or has another content
 */
export async function getChunk(store: BackupStore, name: string): Promise<Buffer> {
  const key = chunkKey(name);
  const bytes = await store.get(key);
  if (bytes === undefined) throw new StoreError("damaged", `${store.name}: ${key} is missing`);
  const content = decompress(store, key, bytes);
  if (store.nameOf(content) !== name)
    throw new StoreError("damaged", `${store.name}: ${key} is damaged: its content does not match its name`);
  return content;
}

function decompress(store: BackupStore, key: string, bytes: Uint8Array): Buffer {
  try {
    // The limit keeps a few bytes from becoming gigabytes.
    return zstdDecompressSync(bytes, { maxOutputLength: chunkBytesMax, chunkSize: decompressedChunk(bytes) });
  } catch (error) {
    throw new StoreError("damaged", `${store.name}: ${key} is damaged: ${messageOf(error)}`, error);
  }
}

function decompressedChunk(bytes: Uint8Array): number {
  return Math.min(chunkBytesMax, Math.max(decompressedBytesMin, 8 * bytes.length));
}
