import { type Clock, delay } from "../../../platform/lib/clock.ts";
import { describeFailure } from "../../../platform/network/failure.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import {
  encodeForSigning,
  errorOfResponse,
  isAbsent,
  passes,
  readListPage,
  type S3Credentials,
  type S3Response,
  signRequest,
} from "./s3-protocol.ts";
import {
  assertKey,
  type BackupStore,
  isKey,
  objectBytesMax,
  requireObjectSize,
  sha256Name,
  StoreError,
} from "./store.ts";

/** Delays before the second and each further attempt of a request that fails and may succeed later. */
const retryDelaysMs = [500, 1_000, 2_000, 4_000];
/** Time for one request, in addition to the time for its bytes at `bytesPerMsMin`. */
const timeoutMsBase = 30_000;
/** Slowest connection that is used: 64 KiB/s. */
const bytesPerMsMin = 64;
/** A page has at most 1,000 objects with keys of at most 1,024 bytes. */
const listPageBytesMax = 8 * 1024 * 1024;
/** A list of all chunks is kept in memory. Their content is 10 TB. */
const objectsMax = 10_000_000;
const errorBytesMax = 65_536;
const noBody = new Uint8Array();

/** A bucket of an S3-compatible service. */
export interface S3Location {
  bucket: string;
  /** Without slashes at its ends; empty: none. */
  prefix: string;
  /**
   * Null: Amazon S3. The bucket is the first part of the path, unless the host name begins with it, for services that
   * want it there.
   */
  endpoint: string | null;
  credentials: S3Credentials;
}

/**
 * Returns a store that keeps its objects in a bucket. A request that fails and may succeed later is repeated, each
 * within a time limit. Every request replaces or reads a whole object, so that repeating it is safe.
 *
 * `Bun.S3Client` is not used: it sends requests to the proxy of the environment, cannot be cancelled, reads responses of
 * any size, and does not sign the body.
 */
export function createS3Store({
  location,
  client,
  clock,
  signal,
}: {
  location: S3Location;
  client: Pick<HttpClient, "send">;
  clock: Pick<Clock, "now" | "after">;
  /** Ends what is in flight, with an error. */
  signal: AbortSignal;
}): BackupStore {
  const { bucket, prefix, credentials } = location;
  const name = `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`;
  const base = baseUrl(location);
  const start = prefix === "" ? "" : `${prefix}/`;
  const urlOf = (key: string) => new URL(base.href + start + key);
  const unexpected = (reason: string) => new StoreError("unexpected", `backups in ${name}: ${reason}`);

  const sendOnce = async (request: S3Request): Promise<S3Response | StoreError> => {
    const { method, url, body = noBody, responseBytesMax = errorBytesMax } = request;
    const result = await client.send({
      url: url.href,
      method,
      headers: signRequest({ method, url, body, at: clock.now(), credentials }),
      body,
      timeoutMs: timeoutMsBase + (body.byteLength + responseBytesMax) / bytesPerMsMin,
      bodyBytesMax: responseBytesMax,
      signal,
    });
    if ("failure" in result)
      return new StoreError("unreachable", `backups in ${name}: ${url.host}: ${describeFailure(result)}`);
    return result.response.cut
      ? unexpected(`a response of more than ${responseBytesMax} bytes`)
      : result.response;
  };
  /** Repeats a request until it has an outcome that will not change. */
  const send = async (request: S3Request): Promise<S3Response> => {
    for (let attempt = 0; ; attempt++) {
      const result = await sendOnce(request);
      const isPassing = result instanceof StoreError ? result.code === "unreachable" : passes(result);
      const delayMs = retryDelaysMs[attempt];
      if (isPassing && delayMs !== undefined && !signal.aborted) {
        await delay(clock, delayMs, signal);
        continue;
      }
      if (result instanceof StoreError) throw result;
      return result;
    }
  };
  const requireSuccess = (response: S3Response): S3Response => {
    if (response.status < 200 || response.status > 299) throw errorOfResponse(name, response);
    return response;
  };

  return {
    name,
    nameOf: sha256Name,
    async put(key, bytes) {
      assertKey(key);
      requireObjectSize(name, key, bytes.byteLength);
      requireSuccess(await send({ method: "PUT", url: urlOf(key), body: bytes }));
    },
    async get(key) {
      assertKey(key);
      const request = { method: "GET", url: urlOf(key), responseBytesMax: objectBytesMax } as const;
      const response = await send(request);
      return isAbsent(response) ? undefined : new Uint8Array(requireSuccess(response).body);
    },
    async *list(wanted) {
      let last = "";
      let count = 0;
      let continuation: string | undefined;
      do {
        const url = listUrl(base, { prefix: start + wanted, continuation });
        const response = await send({ method: "GET", url, responseBytesMax: listPageBytesMax });
        const page = readListPage(requireSuccess(response).body);
        if (page === undefined) throw unexpected("the list of objects is not one of S3");
        for (const { key, bytes } of page.objects) {
          // Without progress, the pages of a faulty server would never end.
          if (key <= last || !key.startsWith(start + wanted))
            throw unexpected("the list of objects is not in order");
          if (++count > objectsMax) throw unexpected(`more than ${objectsMax} objects`);
          last = key;
          const ours = key.slice(start.length);
          if (isKey(ours) && bytes <= objectBytesMax) yield { key: ours, bytes };
        }
        if (page.objects.length === 0 && page.continuation !== undefined)
          throw unexpected("the list of objects has an empty page");
        ({ continuation } = page);
      } while (continuation !== undefined);
    },
    async delete(key) {
      assertKey(key);
      const response = await send({ method: "DELETE", url: urlOf(key) });
      if (!isAbsent(response)) requireSuccess(response);
    },
  };
}

interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  url: URL;
  body?: Uint8Array;
  responseBytesMax?: number;
}

/** Returns the URL of the bucket, with a slash at its end. */
function baseUrl({ bucket, endpoint, credentials: { region } }: S3Location): URL {
  if (endpoint === null) {
    // The certificate of Amazon covers one label, so that a bucket with a dot must be in the path.
    const isInPath = bucket.includes(".");
    const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return isInPath
      ? new URL(`https://s3.${region}.${domain}/${bucket}/`)
      : new URL(`https://${bucket}.s3.${region}.${domain}/`);
  }
  const url = new URL(endpoint.endsWith("/") ? endpoint : `${endpoint}/`);
  return url.hostname.startsWith(`${bucket}.`) ? url : new URL(`${url.href}${bucket}/`);
}

function listUrl(
  base: URL,
  { prefix, continuation }: { prefix: string; continuation: string | undefined },
): URL {
  const url = new URL(base.href);
  // Sorted by name, as the signature requires.
  const parameters = [
    ...(continuation === undefined ? [] : [["continuation-token", continuation] as const]),
    ["list-type", "2"] as const,
    ["prefix", prefix] as const,
  ];
  url.search = parameters.map(([key, value]) => `${key}=${encodeForSigning(value)}`).join("&");
  return url;
}
