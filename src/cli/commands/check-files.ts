import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../lib/errors.ts";
import { createTlsFiles, type EndpointFiles } from "../../channels/webhook/tls-files.ts";

/** Why HTTPS could not be served with the configured files; undefined when it could. */
export async function serverCertificateFault({ tls }: Config["server"]): Promise<string | undefined> {
  if (tls === null) return undefined;
  const { certPath, keyPath } = tls;
  try {
    const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return `${certPath} and ${keyPath} cannot be used: ${messageOf(error)}; both have to be PEM files that belong together`;
  }
}

/** Why nothing could be delivered with the certificates of an endpoint; undefined when it could. */
export function endpointCertificateFault(caFile: string | null, endpoint: EndpointFiles): string | undefined {
  try {
    createTlsFiles(caFile)(endpoint);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
