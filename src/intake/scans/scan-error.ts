import { visible } from "../../platform/lib/safe-text.ts";
import type { ResolverCheck } from "../../platform/network/dns/dns-client.ts";
import type { ScanFailure } from "../../platform/vocabulary/scans.ts";

/** The scan cannot run; the message says what to change. */
export class ScanError extends Error {
  readonly failure: ScanFailure;

  constructor(failure: ScanFailure, message: string) {
    super(message);
    this.name = "ScanError";
    this.failure = failure;
  }
}

const detailCharactersMax = 200;

/**
 * Returns why no scan can run with these resolvers; undefined if one of them is honest. Without an honest resolver,
 * every name would seem to exist, or none.
 */
export function problemOfResolvers(checks: readonly ResolverCheck[]): ScanError | undefined {
  const has = (wanted: ResolverCheck["verdict"]) => checks.some(({ verdict }) => verdict === wanted);
  if (has("honest")) return undefined;
  const details = checks
    .map(({ server, detail }) => `${server.address}:${server.port}: ${visible(detail, detailCharactersMax)}`)
    .join("; ");
  if (has("denying"))
    return new ScanError(
      "resolvers_deny",
      `no resolver knows names that exist, so every look-alike would seem not to exist (${details}); ` +
        "set scan.resolvers to one that resolves every name on the internet",
    );
  return has("lying")
    ? new ScanError(
        "resolvers_lie",
        `no resolver says when a name does not exist (${details}); set scan.resolvers to one that does`,
      )
    : new ScanError(
        "resolvers_silent",
        `no resolver responds (${details || "none is known"}); set scan.resolvers to one that does`,
      );
}
