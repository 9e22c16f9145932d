import type { Config } from "../../platform/config/config.ts";
import { createClientAddress, createTrust } from "../http/client-address.ts";
import { createUntrustedProxy } from "../http/untrusted-proxy.ts";
import type { Log } from "../../platform/lib/log.ts";

export interface ClientAddresses {
  /** Undefined: the peer is unknown. */
  clientAddress: (request: Request) => string | undefined;
  /** Returns whether a request came from a trusted proxy, by the address of its peer. */
  isFromTrustedProxy: (request: Request) => boolean;
  /** Returns the address of a proxy that is not trusted, if requests came through one. */
  untrustedProxy: () => string | undefined;
}

/** Returns functions that determine where requests come from, as `server.trusted_proxies` says, which can change. */
export function clientAddresses({
  config,
  log,
  peerOf,
}: {
  config: Pick<Config, "server">;
  log: Log;
  peerOf: (request: Request) => string | undefined;
}): ClientAddresses {
  const create = (networks: readonly string[]) => {
    const untrusted = createUntrustedProxy({ log });
    const resolve = createClientAddress(networks, untrusted.note);
    return { networks, untrusted, resolve, isTrusted: createTrust(networks) };
  };
  let known = create(config.server.trustedProxies);
  /** Trusted networks can change. */
  const current = () => {
    const networks = config.server.trustedProxies;
    if (known.networks !== networks) known = create(networks);
    return known;
  };
  return {
    untrustedProxy: () => known.untrusted.address(),
    isFromTrustedProxy(request) {
      const peer = peerOf(request);
      return peer !== undefined && current().isTrusted(peer);
    },
    clientAddress(request) {
      const peer = peerOf(request);
      return peer === undefined ? undefined : current().resolve(peer, request.headers.get("x-forwarded-for"));
    },
  };
}
