import type { CertificateLog, LogProtocol } from "../log.ts";
import { logIdOf } from "../trees/log-key.ts";

/** A log that the configuration declares. */
export interface DeclaredLog {
  name: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  key: string;
  /** With a slash at its end. */
  url: string;
  origin: string;
  protocol: LogProtocol;
}

/** Returns the log. Throws `LogError` if its key cannot be used. */
export function extraLog({ name, key, url, origin, protocol }: DeclaredLog): CertificateLog {
  return {
    logId: logIdOf(key),
    description: name,
    // Each declared log has a rate of its own.
    operator: name,
    key,
    protocol,
    url,
    origin,
    isExtra: true,
    finalSize: null,
  };
}
