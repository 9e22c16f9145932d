import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { createTlsFiles, type EndpointFiles } from "../../channels/webhook/tls-files.ts";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../lib/errors.ts";

/** Returns why the configured files cannot serve HTTPS, or undefined if they can. */
export async function serverCertificateError({ tls }: Config["server"]): Promise<string | undefined> {
  if (tls === null) return undefined;
  const { certPath, keyPath } = tls;
  try {
    const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return `${certPath} and ${keyPath} cannot be used: ${messageOf(error)}; both must be PEM files, and the key must match the certificate`;
  }
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
