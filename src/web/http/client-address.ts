import { BlockList, isIP } from "node:net";
import type { Log } from "../../platform/lib/log.ts";
import { addressClass } from "../../platform/network/addresses.ts";
import type { Config } from "../../platform/config/config.ts";

/**
 * Returns a function that determines the client's address: the nearest hop that is not a trusted proxy. Anyone can
 * send `X-Forwarded-For`, so it is read from its end, and only while each hop is trusted.
 * @param trusted networks as `address/prefix length`
 * @param onIgnored called with the peer if its `X-Forwarded-For` is ignored because the peer is not trusted
 */
export function createClientAddress(
  trusted: readonly string[],
  onIgnored: (peer: string) => void = () => {},
): (peer: string, forwardedFor: string | null) => string {
  const isTrusted = createTrust(trusted);

  return (peer, forwardedFor) => {
    let client = plainAddress(peer);
    if (forwardedFor === null) return client;
    if (!isTrusted(client)) {
      onIgnored(client);
      return client;
    }
    const hops = forwardedFor.split(",").slice(-hopsMax);
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop.trim());
      // A trusted proxy only writes addresses.
      if (!isTrusted(client) || isIP(address) === 0) return client;
      client = address;
    }
    return client;
  };
}

/** Returns a function that tells whether a peer is in one of the networks, which are `address/prefix length`. */
function createTrust(trusted: readonly string[]): (peer: string) => boolean {
  const networks = new BlockList();
  for (const network of trusted) {
    const [address = "", length = ""] = network.split("/");
    networks.addSubnet(address, Number(length), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return (peer) => {
    const address = plainAddress(peer);
    return isIP(address) !== 0 && networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  };
}

const hopsMax = 20;

/** Removes brackets and port, and turns an IPv4-mapped IPv6 address (of a dual-stack socket) into IPv4. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](:[0-9]+)?$/.exec(text)?.[1] ?? text;
  const withoutPort = /^[0-9.]+:[0-9]+$/.test(bare) ? bare.slice(0, bare.indexOf(":")) : bare;
  return /^::ffff:([0-9.]+)$/i.exec(withoutPort)?.[1] ?? withoutPort;
}

/** Notices a proxy that the configuration does not trust: then all its visitors count as one client. */
export function createUntrustedProxy({ log }: { log: Log }) {
  let found: string | undefined;
  return {
    /** Notes a peer that sent X-Forwarded-For although it is not trusted. The first that may be a proxy is logged. */
    note(peer: string) {
      if (found !== undefined) return;
      // Anyone on the internet can send the header; a proxy of one's own is on this machine or in a private network.
      const peerClass = addressClass(peer);
      if (peerClass !== "loopback" && peerClass !== "private") return;
      found = peer;
      log.event("http.untrusted_proxy", { peer, setting: "server.trusted_proxies" });
    },
    /** Returns the address of the first such peer since the start. */
    address: () => found,
  };
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
}) {
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
    /** Returns the address of a proxy that is not trusted, if requests came through one. */
    untrustedProxy: () => known.untrusted.address(),
    /** Returns whether a request came from a trusted proxy, by the address of its peer. */
    isFromTrustedProxy(request: Request) {
      const peer = peerOf(request);
      return peer !== undefined && current().isTrusted(peer);
    },
    /** Undefined: the peer is unknown. */
    clientAddress(request: Request) {
      const peer = peerOf(request);
      return peer === undefined ? undefined : current().resolve(peer, request.headers.get("x-forwarded-for"));
    },
  };
}
