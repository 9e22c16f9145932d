import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { createTlsFiles, type EndpointFiles } from "../../channels/http/tls-files.ts";
import type { Config } from "../../config/config.ts";
import { dayMs, toPlainTime, type Instant } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { counted } from "../../lib/wording.ts";
import type { CheckResult } from "./check-result.ts";

/** A certificate that ends within this time is reported: common authorities have renewed theirs long before. */
const endsSoonMs = 14 * dayMs;

/** Checks that the configured files can serve HTTPS, and for how long. Returns undefined without such files. */
export async function serverCertificate(
  { tls }: Pick<Config["server"], "tls">,
  now: Instant,
): Promise<CheckResult | undefined> {
  if (tls === null) return undefined;
  const what = "server certificate";
  const { certPath, keyPath } = tls;
  try {
    const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
    createSecureContext({ cert, key });
    const endsAt = new X509Certificate(cert).validToDate.getTime();
    return { what, ...describeEnd(endsAt, now) };
  } catch (error) {
    const detail = `${certPath} and ${keyPath} cannot be used: ${messageOf(error)}; both must be PEM files, and the key must match the certificate`;
    return { what, state: "error", detail };
  }
}

/** @param endsAt when the certificate ends */
export function describeEnd(endsAt: Instant, now: Instant): Pick<CheckResult, "state" | "detail"> {
  const end = toPlainTime(endsAt);
  const leftMs = endsAt - now;
  if (leftMs <= 0) return { state: "error", detail: `expired on ${end}; renew it and restart` };
  if (leftMs > endsSoonMs) return { state: "ok", detail: `valid until ${end}` };
  const left = counted(Math.floor(leftMs / dayMs), "day");
  return { state: "warning", detail: `expires in ${left}, on ${end}; renew it and restart` };
}

/** Returns why the certificates of an endpoint cannot be used, or undefined if they can. */
export function endpointCertificateError(caFile: string | null, endpoint: EndpointFiles): string | undefined {
  try {
    createTlsFiles(caFile)(endpoint);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
