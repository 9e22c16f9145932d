/**
 * A place where backups are kept: objects of bytes under keys. Writing is all or nothing: an object has either its old
 * or its new content, also if the process is killed. What is read back may have been changed by others.
 */
export interface BackupStore {
  /** Names the place for people: the path of a folder, or `s3://bucket/prefix`. Contains no secret. */
  readonly name: string;
  /**
   * Returns the name of content-addressed bytes, 64 hexadecimal digits: their SHA-256. In an encrypted store it is a
   * keyed hash, so that the store reveals nothing about known content.
   */
  nameOf(content: Uint8Array): string;
  /**
   * Creates or replaces an object. Resolves when it is stored durably.
   * @param key see `assertKey`
   * @param bytes at most `objectBytesMax`
   * @throws StoreError
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Returns an object, or undefined if there is none.
   * @throws StoreError, also for an object of more than `objectBytesMax`
   */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Returns the objects whose keys begin with `prefix`, in ascending order of the keys. Objects with other keys than
   * `assertKey` accepts are skipped: this program did not write them.
   * @throws StoreError
   */
  list(prefix: string): AsyncIterable<StoredObject>;
  /**
   * Deletes an object. Does nothing if there is none.
   * @throws StoreError
   */
  delete(key: string): Promise<void>;
}

export interface StoredObject {
  key: string;
  bytes: number;
}

/** Maximum size of one object. Chunks have a few MiB; the list of the files of a backup is the largest object. */
export const objectBytesMax = 64 * 1024 * 1024;
/** Maximum length of a key. */
export const keyLengthMax = 200;

/**
 * - `not_found`: the folder or the bucket itself does not exist
 * - `no_permission`: rejected credentials, or a file or folder that this user may not read or write
 * - `no_space`: the disk or the quota is full
 * - `unreachable`: a network, a server or a disk that fails; the same call may succeed later
 * - `wrong_secret`: an encrypted repository that the secret does not open, or one that should be encrypted and is not
 * - `damaged`: an encrypted object that was changed, swapped or truncated
 * - `unexpected`: an object that is too large, a link instead of a folder, a response that is not one of S3
 */
export type StoreErrorCode =
  "not_found" | "no_permission" | "no_space" | "unreachable" | "wrong_secret" | "damaged" | "unexpected";

/** A failure of a store. The message names the store, says what to change, and contains no secret. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.code = code;
  }
}

/** Returns whether text is a key: parts of `a-z`, `0-9`, `.`, `_`, `-` between slashes, none of which begins with a dot. */
export function isKey(text: string): boolean {
  return text.length <= keyLengthMax && /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*)*$/.test(text);
}

/** Returns the SHA-256 of bytes as hexadecimal digits: `nameOf` of stores that do not encrypt. */
export function sha256Name(content: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** Throws for a key or an object that no store accepts: an error of the program. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not a key of a backup store: ${JSON.stringify(key)}`);
}

/** @throws StoreError for an object that no store accepts. */
export function requireObjectSize(name: string, key: string, bytes: number): void {
  if (bytes <= objectBytesMax) return;
  throw new StoreError(
    "unexpected",
    `${name}: ${key} has ${bytes} bytes; the limit for one object is ${objectBytesMax}`,
  );
}
