import { decodeXML } from "entities";
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { type StoredObject, StoreError, type StoreErrorCode } from "./store.ts";
import definitions from "./s3-errors.json" with { type: "json" };

/** Response of an S3-compatible server. Others may control it. */
export interface S3Response {
  status: number;
  /** By lowercase name. */
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

const messageCharactersMax = 200;
/** Longest text of one element of XML that is used. */
const elementCharactersMax = 2_000;
/** Codes of S3's errors that pass, beside every status from 500. */
const passingCodes = ["SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "Throttling"];

interface ErrorRule {
  codes: readonly string[];
  is: StoreErrorCode;
  advice: string;
}
const errorRules = definitions as readonly ErrorRule[];

/** Whether the same request may succeed later. */
export function passes({ status, body }: S3Response): boolean {
  if (status === 507) return false;
  return status >= 500 || status === 429 || status === 408 || passingCodes.includes(errorCode(body));
}

/** Whether the response says that there is no such object, as opposed to an address that is not of S3. */
export function isAbsent({ status, body }: S3Response): boolean {
  return status === 404 && errorCode(body) === "NoSuchKey";
}

/** Returns the error for a response that is no success. */
export function errorOfResponse(name: string, response: S3Response): StoreError {
  const { status, body } = response;
  const code = errorCode(body);
  const rule = errorRules.find(({ codes }) => codes.includes(code));
  const result = code === "" ? `HTTP status ${status}` : `${code}, HTTP status ${status}`;
  const from = visible(`${result}${messageIn(body)}`, messageCharactersMax);
  if (rule !== undefined) return new StoreError(rule.is, `backups in ${name}: ${rule.advice} (${from})`);
  if (passes(response)) return new StoreError("unreachable", `backups in ${name}: the server fails: ${from}`);
  if (status === 507) return new StoreError("no_space", `backups in ${name}: the server is full (${from})`);
  if (status === 401 || status === 403)
    return new StoreError(
      "no_permission",
      `backups in ${name}: give the access key permission to list, read, write and delete objects (${from})`,
    );
  if (status >= 300 && status < 400)
    return new StoreError(
      "unexpected",
      `backups in ${name}: redirected; correct backup.s3_endpoint and backup.s3_region (${from})`,
    );
  return new StoreError(
    "unexpected",
    `backups in ${name}: not a response of S3; is backup.s3_endpoint correct? (${from})`,
  );
}

/** Parses a page of ListObjectsV2. Returns undefined for anything else. */
export function readListPage(
  body: Uint8Array,
): { objects: StoredObject[]; continuation: string | undefined } | undefined {
  const xml = new TextDecoder().decode(body);
  if (!/<ListBucketResult[\s>]/.test(xml) || !/<\/ListBucketResult>\s*$/.test(xml)) return undefined;
  const objects: StoredObject[] = [];
  for (const [, content = ""] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const key = element(content, "Key");
    const size = element(content, "Size");
    if (key === undefined || size === undefined || !/^\d{1,15}$/.test(size)) return undefined;
    objects.push({ key, bytes: Number(size) });
  }
  if (element(xml, "IsTruncated") !== "true") return { objects, continuation: undefined };
  const continuation = element(xml, "NextContinuationToken");
  return continuation === undefined ? undefined : { objects, continuation };
}

function errorCode(body: Uint8Array): string {
  return element(new TextDecoder().decode(body.subarray(0, 65_536)), "Code") ?? "";
}

function messageIn(body: Uint8Array): string {
  const message = element(new TextDecoder().decode(body.subarray(0, 65_536)), "Message");
  return message === undefined ? "" : `: ${message}`;
}

/** Returns the text of the first element with this name that has no elements in it. */
function element(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const text = xml.slice(start + name.length + 2, start + name.length + 2 + elementCharactersMax);
  const end = text.indexOf("<");
  return end === -1 ? undefined : decodeXML(text.slice(0, end));
}

export interface S3Credentials {
  region: string;
  accessKey: string;
  secretKey: string;
}

/**
 * Returns the headers that authenticate a request, without Host, which is signed as the URL has it: AWS Signature Version
 * 4, with the hash of the body signed (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 * @param url its path and query are encoded already; the query is sorted by name
 */
export function signRequest({
  method,
  url,
  body,
  at,
  credentials: { region, accessKey, secretKey },
}: {
  method: string;
  url: URL;
  body: Uint8Array;
  at: Instant;
  credentials: S3Credentials;
}): Record<string, string> {
  const time = toIsoTime(at).replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const hash = sha256(body);
  const signed: readonly (readonly [name: string, value: string])[] = [
    ["host", url.host],
    ["x-amz-content-sha256", hash],
    ["x-amz-date", time],
  ];
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Uint8Array>(hmac, `AWS4${secretKey}`);
  const signature = Buffer.from(hmac(key, text)).toString("hex");
  return {
    "x-amz-content-sha256": hash,
    "x-amz-date": time,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
export function encodeForSigning(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256", key).update(text).digest();
}
