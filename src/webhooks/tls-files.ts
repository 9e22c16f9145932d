import { readFileSync, statSync } from "node:fs";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { messageOf } from "../lib/errors.ts";
import type { TlsFiles } from "../network/http/connection.ts";

/** The paths of an endpoint's certificates. */
export interface EndpointFiles {
  caFile: string | null;
  clientCertFile: string | null;
  clientKeyFile: string | null;
}

/** Nothing of an endpoint but its paths. */
export function filesOf({ caFile, clientCertFile, clientKeyFile }: EndpointFiles): EndpointFiles {
  return { caFile, clientCertFile, clientKeyFile };
}

const fileBytesMax = 1_048_576;

/**
 * Reads certificates when they are needed, and again when their file changes: certificates are renewed
 * without a restart.
 * @param caFile trusted for all endpoints (`webhooks.ca_file`)
 */
export function createTlsFiles(caFile: string | null): (endpoint: EndpointFiles) => TlsFiles {
  const known = new Map<string, { modifiedMs: number; text: string }>();

  function read(path: string, check: (text: string) => void): string {
    try {
      const { mtimeMs: modifiedMs, size } = statSync(path);
      const present = known.get(path);
      if (present?.modifiedMs === modifiedMs) return present.text;
      if (size > fileBytesMax) throw new Error("larger than 1 MiB");
      const text = readFileSync(path, "utf8");
      check(text);
      known.set(path, { modifiedMs, text });
      return text;
    } catch (error) {
      throw new Error(`${path} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  const certificate = (path: string) => read(path, (text) => void new X509Certificate(text));
  return ({ caFile: ownCaFile, clientCertFile, clientKeyFile }) => {
    if ((clientCertFile === null) !== (clientKeyFile === null))
      throw new Error("a client certificate needs both its file and the file of its key");
    const ca = [caFile, ownCaFile].filter((path) => path !== null).map(certificate);
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
