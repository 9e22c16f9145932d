import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../../platform/config/config.ts";
import { toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";

export type TlsPaths = NonNullable<Config["server"]["tls"]>;

/** A certificate chain and its private key, as PEM. */
export interface TlsPair {
  cert: string;
  key: string;
}

/** @throws an error of the system */
export function readTlsPair({ certPath, keyPath }: TlsPaths): TlsPair {
  return { cert: readFileSync(certPath, "utf8"), key: readFileSync(keyPath, "utf8") };
}

/**
 * Reads the files that replace those in use.
 * @throws StartError if they cannot be used, do not belong together, or the certificate has expired
 */
export function readValidPair(paths: TlsPaths, now: Instant): TlsPair {
  const { certPath, keyPath } = paths;
  const reject = (reason: string) =>
    new StartError(`server.tls_cert (${certPath}) and server.tls_key (${keyPath}): ${reason}`, {
      exitCode: 2,
    });
  let pair: TlsPair;
  let certificate: X509Certificate;
  let isMatch: boolean;
  try {
    pair = readTlsPair(paths);
    certificate = new X509Certificate(pair.cert);
    isMatch = certificate.checkPrivateKey(createPrivateKey(pair.key));
  } catch (error) {
    throw reject(`cannot be used: ${messageOf(error)}; both must be PEM files that belong together`);
  }
  if (!isMatch) throw reject("the key does not match the certificate");
  const endsAt = certificate.validToDate.getTime();
  if (endsAt <= now) throw reject(`the certificate expired on ${toPlainTime(endsAt)}`);
  return pair;
}
