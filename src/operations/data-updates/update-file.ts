import { isUtf8 } from "node:buffer";
import { createHash, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { fromIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { listNames, type ListName } from "../../platform/lib/lists/list-texts.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { listDefinitions } from "./list-definitions.ts";
import { fieldsOf, parseJson } from "../../platform/lib/json.ts";

/**
 * A data update: lists that replace embedded ones. The file is UTF-8 text. The first line is
 * `phishwatch-data 1 KEY SIGNATURE`, where KEY identifies the public key and SIGNATURE is the Ed25519 signature, in base64, of
 * all bytes after that line: a JSON object with `version` and `lists`.
 */
export interface DataUpdate {
  /** `2026-11-22`, or `2026-11-22.2` for a second one of that day. A later version is greater. */
  version: string;
  /** Identifier of the key that signed it. */
  keyId: string;
  lists: Partial<Record<ListName, UpdatedList>>;
}

export interface UpdatedList {
  /** Date of the content, `2026-11-20`. */
  date: string;
  text: string;
}

/** A file that cannot be used as a data update. The message says why. */
export class DataUpdateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DataUpdateError";
  }
}

/** Several times the size of all lists together. */
export const updateBytesMax = 16 * 2 ** 20;
const magic = "phishwatch-data 1";
const firstLineMax = 200;
const versionForm = /^(\d{4}-\d\d-\d\d)(?:\.(\d{1,3}))?$/;

/** Returns the public key of an Ed25519 key as 32 bytes in base64. */
export function publicKeyText(key: KeyObject): string {
  const jwk = key.export({ format: "jwk" });
  return Buffer.from(jwk.x ?? "", "base64url").toString("base64");
}

/** Returns the identifier of a public key: the start of its SHA-256. */
function keyIdOf(publicKey: string): string {
  return createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex").slice(0, 16);
}

/** Returns the bytes of a signed file. @param privateKey Ed25519 */
export function signUpdate(
  { version, lists }: Pick<DataUpdate, "version" | "lists">,
  privateKey: KeyObject,
): Uint8Array {
  checkVersion(version);
  const body = Buffer.from(JSON.stringify({ version, lists }));
  const key = keyIdOf(publicKeyText(createPublicKey(privateKey)));
  const signature = sign(null, body, privateKey).toString("base64");
  return Buffer.concat([Buffer.from(`${magic} ${key} ${signature}\n`), body]);
}

/**
 * Verifies and parses a file.
 * @param trustedKeys public keys, each 32 bytes in base64
 * @throws DataUpdateError
 */
export function readUpdate(bytes: Uint8Array, trustedKeys: readonly string[]): DataUpdate {
  if (bytes.length > updateBytesMax) throw new DataUpdateError(`larger than ${updateBytesMax / 2 ** 20} MiB`);
  const feed = bytes.subarray(0, firstLineMax).indexOf(0x0a);
  const head = feed === -1 ? "" : new TextDecoder().decode(bytes.subarray(0, feed));
  const [, keyId, signature] = /^phishwatch-data 1 ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)$/.exec(head) ?? [];
  if (keyId === undefined || signature === undefined)
    throw new DataUpdateError(`not a data update: its first line does not begin with "${magic}"`);
  const key = trustedKeys.find((one) => keyIdOf(one) === keyId);
  if (key === undefined)
    throw new DataUpdateError(
      trustedKeys.length === 0
        ? `signed with the key ${keyId}, but no key is trusted; add the public key of those who signed it to data.trusted_keys`
        : `signed with the key ${keyId}, which is not trusted; if you know who signed it, add their public key to data.trusted_keys`,
    );
  const body = bytes.subarray(feed + 1);
  if (!verify(null, body, toKey(key), Buffer.from(signature, "base64")))
    throw new DataUpdateError("its signature is not valid: the file was changed or is incomplete");
  return { ...readBody(body), keyId };
}

function toKey(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

function readBody(body: Uint8Array): Pick<DataUpdate, "version" | "lists"> {
  const value = isUtf8(body) ? parseJson(body) : undefined;
  if (value === undefined) throw new DataUpdateError("its content is not JSON in UTF-8");
  const { version, lists } = fieldsOf(value);
  if (typeof version !== "string") throw new DataUpdateError("it has no version");
  checkVersion(version);
  if (typeof lists !== "object" || lists === null) throw new DataUpdateError("it has no lists");
  // A list of a later version of the product is skipped.
  const given = Object.entries(lists).filter((entry): entry is [ListName, unknown] =>
    (listNames as readonly string[]).includes(entry[0]),
  );
  if (given.length === 0) throw new DataUpdateError("it contains no list that this version uses");
  return { version, lists: Object.fromEntries(given.map(([name, list]) => [name, readList(name, list)])) };
}

function readList(name: ListName, value: unknown): UpdatedList {
  const { date, text } = (value ?? {}) as { date?: unknown; text?: unknown };
  if (typeof date !== "string" || dateOf(date) === undefined || typeof text !== "string")
    throw new DataUpdateError(`the list ${name} has no valid date or no text`);
  checkList(name, text);
  return { date, text };
}

/** Returns the number of entries of a list. @throws DataUpdateError if it is too large, too short or not valid */
export function checkList(name: ListName, text: string): number {
  const { bytesMax, count, entriesMin } = listDefinitions[name];
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax)
    throw new DataUpdateError(`the list ${name} has ${bytes} bytes, but at most ${bytesMax} are allowed`);
  let entries: number;
  try {
    entries = count(text);
  } catch (error) {
    throw new DataUpdateError(`the list ${name} is not valid: ${visible(messageOf(error), 200)}`);
  }
  if (entries < entriesMin)
    throw new DataUpdateError(
      `the list ${name} has only ${entries} entries, but it needs at least ${entriesMin}: it is incomplete`,
    );
  return entries;
}

function checkVersion(version: string): void {
  const [, date = ""] = versionForm.exec(version) ?? [];
  if (dateOf(date) === undefined)
    throw new DataUpdateError(
      `its version "${visible(version, 40)}" is not a date such as 2026-11-22 or 2026-11-22.2`,
    );
}

/** Returns the start of a day such as `2026-11-22`, or undefined if that is no date. */
export function dateOf(text: string): Instant | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? fromIsoTime(text) : undefined;
}

/** Returns a negative number if `left` is an earlier version than `right`, 0 if they are equal, else a positive one. */
export function compareVersions(left: string, right: string): number {
  const parts = (version: string): [string, number] => {
    const [, date = "", number = "1"] = versionForm.exec(version) ?? [];
    return [date, Number(number)];
  };
  const [[leftDate, leftNumber], [rightDate, rightNumber]] = [parts(left), parts(right)];
  return leftDate === rightDate ? leftNumber - rightNumber : leftDate < rightDate ? -1 : 1;
}
