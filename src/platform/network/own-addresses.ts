import { networkInterfaces, type NetworkInterfaceInfo } from "node:os";
import { addressNumber, innerAddress, type AddressRefusal, type AddressRules } from "./addresses.ts";

export type Interfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, "address" | "cidr">[]>;

/** Smallest network that IPv6 machines share (RFC 4291 section 2.5.1), in bits of its prefix. */
const ipv6NetworkBits = 64;

/**
 * Returns the refusal of an address of this machine, or of its IPv6 network, unless `rules` allow private networks. Such an
 * address can be global, but services that a firewall hides from everybody else accept connections from the machine itself.
 */
export function ownAddressRefusal(
  address: string,
  rules: AddressRules,
  interfaces: () => Interfaces = networkInterfaces,
): AddressRefusal | undefined {
  if (rules.allowPrivateNetworks || rules.onlyLoopback === true) return undefined;
  const wanted = innerAddress(address);
  if (wanted === undefined) return undefined;
  const own = Object.values(interfaces()).flatMap((addresses = []) => addresses);
  const isOwn = own.some(({ address: text, cidr }) => {
    const found = addressNumber(text.replace(/%.*$/, ""));
    if (found?.width !== wanted.width) return false;
    if (found.width === 32) return found.value === wanted.value;
    const bits = Math.max(ipv6NetworkBits, Number(cidr?.split("/")[1] ?? found.width));
    const beyond = BigInt(found.width - bits);
    return found.value >> beyond === wanted.value >> beyond;
  });
  return isOwn ? { address, class: "own", allowable: true } : undefined;
}
