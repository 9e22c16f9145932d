import type { FileHandle } from "node:fs/promises";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { NumberArray } from "../arrays/numbers.ts";

const chunkBytes = 4 << 20;

/** Constructors of the arrays in a file, by their names. */
const arrayTypes = { Uint8Array, Uint16Array, Uint32Array, Int8Array, Int16Array, Int32Array, Float64Array };
type StoredArray = NumberArray | Float64Array;

/** An array in a file, after those before it. */
export interface Section {
  name: string;
  type: keyof typeof arrayTypes;
  bytes: number;
  /** Hash of the chunks, each with the hash of those before it as seed. */
  hash: string;
}

/** Returns a function that appends an array to a file, which can be given in parts. Adds to `sections`. */
export function createSectionWriter(file: FileHandle, sections: Section[], yielder: Yielder) {
  return async (name: string, ...parts: readonly [StoredArray, ...StoredArray[]]): Promise<void> => {
    let hash = 0n;
    let bytes = 0;
    for (const chunk of chunksOf(parts)) {
      hash = Bun.hash.xxHash64(chunk, hash);
      bytes += chunk.length;
      await file.write(chunk);
      if (yielder.due()) await yielder.pause();
    }
    const type = parts[0].constructor.name as Section["type"];
    sections.push({ name, type, bytes, hash: String(hash) });
  };
}

/**
 * Returns a function that reads the next array of a file.
 * @throws Error if the array is another one or damaged.
 */
export function createSectionReader(file: FileHandle, sections: readonly Section[], yielder: Yielder) {
  let position = 0;
  let index = 0;
  /** @param room number of elements for which the array has room; absent: for those in the file */
  return async <T extends StoredArray>(name: string, room = 0): Promise<T> => {
    const section = sections[index++]!;
    const Type = arrayTypes[section.type];
    const array = new Type(Math.max(room, section.bytes / Type.BYTES_PER_ELEMENT));
    const bytes = bytesOf(array).subarray(0, section.bytes);
    let hash = 0n;
    for (let start = 0; start < section.bytes; start += chunkBytes) {
      const chunk = bytes.subarray(start, start + chunkBytes);
      await file.read(chunk, 0, chunk.length, position + start);
      hash = Bun.hash.xxHash64(chunk, hash);
      if (yielder.due()) await yielder.pause();
    }
    if (section.name !== name || String(hash) !== section.hash) throw new Error("the copy is damaged");
    position += section.bytes;
    return array as StoredArray as T;
  };
}

/** Returns the bytes in pieces of equal size. Copies them, so that the hash covers exactly what is written. */
function* chunksOf(parts: readonly StoredArray[]): Generator<Uint8Array> {
  const chunk = new Uint8Array(chunkBytes);
  let used = 0;
  for (const array of parts) {
    for (let start = 0; start < array.byteLength;) {
      const part = bytesOf(array).subarray(start, start + chunkBytes - used);
      chunk.set(part, used);
      used += part.length;
      start += part.length;
      if (used < chunkBytes) continue;
      yield chunk;
      used = 0;
    }
  }
  if (used > 0) yield chunk.subarray(0, used);
}

function bytesOf({ buffer, byteOffset, byteLength }: StoredArray): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
