import { BlockList, isIP } from "node:net";

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
export function createTrust(trusted: readonly string[]): (peer: string) => boolean {
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
