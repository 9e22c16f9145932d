import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { createTlsFiles, type EndpointFiles } from "../../messaging/channels/http/tls-files.ts";
import type { Config } from "../../platform/config/config.ts";
import { dayMs, toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { counted } from "../../platform/lib/wording.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** A certificate that ends within this time is reported: common authorities have renewed theirs long before. */
const endsSoonMs = 14 * dayMs;

/** Checks that the configured files can serve HTTPS, and for how long. Returns no result without such files. */
export async function serverCertificate(
  { publicUrl, tls }: Pick<Config["server"], "publicUrl" | "tls">,
  now: Instant,
): Promise<CheckResult[]> {
  if (tls === null) return [];
  return [await ownCertificate(publicUrl, tls, now)];
}

async function ownCertificate(
  publicUrl: string,
  { certPath, keyPath }: NonNullable<Config["server"]["tls"]>,
  now: Instant,
): Promise<CheckResult> {
  const results = resultsOf("server-certificate", "server certificate", "server.tls_cert");
  try {
    const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
    createSecureContext({ cert, key });
    const certificate = new X509Certificate(cert);
    const { hostname } = new URL(publicUrl);
    const { state, detail } = describeEnd(certificate.validToDate.getTime(), now);
    if (state !== "ok") return results[state](detail, `renew the certificate in ${certPath}`);
    if (isFor(certificate, hostname.replace(/^\[|\]$/g, ""))) return results.ok(detail);
    return results.warning(
      `it is not for ${hostname}, the host of server.public_url, so browsers and programs reject it`,
      `request a certificate for ${hostname}, or set server.public_url to a host of the certificate`,
    );
  } catch (error) {
    const detail = `${certPath} and ${keyPath} cannot be used: ${messageOf(error)}; both must be PEM files, and the key must match the certificate`;
    return results.error(detail, "set both to files that can be used");
  }
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** Checks a file with certificates of authorities or of a client: whether it can be read, and for how long it is valid. */
export async function certificateFile(
  { path, setting, what }: { path: string; setting: string | undefined; what: string },
  now: Instant,
): Promise<CheckResult> {
  const results = resultsOf("endpoints", what, setting);
  const change = `replace ${path}`;
  try {
    const { validToDate } = new X509Certificate(await readFile(path));
    const { state, detail } = describeEnd(validToDate.getTime(), now);
    return state === "ok" ? results.ok(detail) : results[state](detail, change);
  } catch (error) {
    return results.error(`${path} cannot be used: ${messageOf(error)}`, change);
  }
}

/** @param endsAt when the certificate ends */
export function describeEnd(
  endsAt: Instant,
  now: Instant,
): { state: "ok" | "warning" | "error"; detail: string } {
  const end = toPlainTime(endsAt);
  const leftMs = endsAt - now;
  if (leftMs <= 0) return { state: "error", detail: `expired on ${end}; renew it` };
  if (leftMs > endsSoonMs) return { state: "ok", detail: `valid until ${end}` };
  const left = counted(Math.ceil(leftMs / dayMs), "day");
  return { state: "warning", detail: `expires in ${left}, on ${end}; renew it` };
}

/** Returns why the certificates of an endpoint cannot be used, or undefined if they can. */
export function endpointCertificateError(caFile: string | null, endpoint: EndpointFiles): string | undefined {
  try {
    createTlsFiles({ caFile })(endpoint);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
