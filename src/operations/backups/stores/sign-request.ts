/**
 * AWS Signature Version 4, with the hash of the body signed
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";

export interface S3Credentials {
  region: string;
  accessKey: string;
  secretKey: string;
}

/**
 * Returns the headers that authenticate a request, without Host, which is signed as the URL has it.
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
