import { BlockList, isIP } from "node:net";

/**
 * Where a request came from: the nearest address on its way that is not one of our proxies.
 * `X-Forwarded-For` is written by whoever sends it, so it is read from its end, and only as far as each
 * address is a trusted one.
 *
 * @param trusted networks as `address/prefix length`
 */
export function createClientAddress(
  trusted: readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  const networks = new BlockList();
  for (const network of trusted) {
    const [address = "", length = ""] = network.split("/");
    networks.addSubnet(address, Number(length), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  const isTrusted = (address: string) => networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return (peer, forwardedFor) => {
    let client = plainAddress(peer);
    if (forwardedFor === null || trusted.length === 0) return client;
    const hops = forwardedFor.split(",").slice(-hopsMax);
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop.trim());
      // What is not an address was not written by a proxy of ours.
      if (!isTrusted(client) || isIP(address) === 0) return client;
      client = address;
    }
    return client;
  };
}

const hopsMax = 20;

/** IPv4 addresses as such, where a socket for both versions shows them as IPv6; no brackets, no port. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]*)\](:[0-9]+)?$/.exec(text)?.[1] ?? text;
  const withoutPort = /^[0-9.]+:[0-9]+$/.test(bare) ? bare.slice(0, bare.indexOf(":")) : bare;
  return /^::ffff:([0-9.]+)$/i.exec(withoutPort)?.[1] ?? withoutPort;
}
