import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { TlsFiles } from "../../../platform/network/http/connection.ts";

/** Paths of an endpoint's PEM files. */
export interface EndpointFiles {
  caFile: string | null;
  clientCertFile: string | null;
  clientKeyFile: string | null;
}

/** Files of a recipient that has none of its own. */
export const noOwnFiles: EndpointFiles = { caFile: null, clientCertFile: null, clientKeyFile: null };

const fileBytesMax = 1_048_576;

/**
 * Returns a function that reads the PEM files of an endpoint, and reads them again after they change, so that
 * renewed certificates need no restart. The function throws if a file cannot be used.
 * @param settings.caFile certificate authority that is trusted for all endpoints (`webhooks.ca_file`)
 */
export function createTlsFiles(settings: { caFile: string | null }): (files: EndpointFiles) => TlsFiles {
  const cache = new Map<string, { modifiedMs: number; text: string }>();

  function read(path: string, check: (text: string) => void): string {
    try {
      const { mtimeMs: modifiedMs, size } = statSync(path);
      const cached = cache.get(path);
      if (cached?.modifiedMs === modifiedMs) return cached.text;
      if (size > fileBytesMax) throw new Error("larger than 1 MiB");
      const text = readFileSync(path, "utf8");
      check(text);
      cache.set(path, { modifiedMs, text });
      return text;
    } catch (error) {
      throw new Error(`${path} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  const certificate = (path: string) => read(path, (text) => void new X509Certificate(text));
  return ({ caFile: ownCaFile, clientCertFile, clientKeyFile }) => {
    if ((clientCertFile === null) !== (clientKeyFile === null))
      throw new Error("a client certificate needs both a certificate file and a key file");
    const ca = [settings.caFile, ownCaFile].filter((path) => path !== null).map(certificate);
    return {
      ...(ca.length === 0 ? {} : { ca }),
      ...(clientCertFile === null || clientKeyFile === null
        ? {}
        : {
            cert: certificate(clientCertFile),
            key: read(clientKeyFile, (text) => void createPrivateKey(text)),
          }),
    };
  };
}
