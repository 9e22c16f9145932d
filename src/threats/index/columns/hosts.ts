import { isIPv4, isIPv6 } from "node:net";
import { splitName } from "../../../engines/detection/names/suffix.ts";

/** Facts that tell who hosts a name. Each is a column and a filter. */
export const hostFields = ["registrar", "nameServers", "network"] as const;
export type HostField = (typeof hostFields)[number];

/** Values by field; null: unknown. */
export type Hosts = Record<HostField, string | null>;

/** Bits of an address that identify its network: the smallest blocks that networks announce to each other. */
const networkBits = { ipv4: 24, ipv6: 48 };

/** Amazon Route 53 gives each zone four of 2,048 domains, such as `awsdns-12.org`. */
const numberedOperator = /^(awsdns)-\d+\..*$/;

interface HostsOfOptions {
  registrar: string | null;
  nameServer: string | null;
  ipAddress: string | null;
}

export function hostsOf({ registrar, nameServer, ipAddress }: HostsOfOptions): Hosts {
  return {
    registrar,
    nameServers: nameServer === null ? null : operatorOf(nameServer),
    network: ipAddress === null ? null : networkOf(ipAddress),
  };
}

/** Returns the registrable domain of a name server, which tells operators apart. */
export function operatorOf(nameServer: string): string {
  const { registrableDomain } = splitName(nameServer);
  return (registrableDomain || nameServer).replace(numberedOperator, "$1");
}

/** Returns the network of an address in CIDR notation, such as `192.0.2.0/24`; null if it is not an address. */
export function networkOf(ipAddress: string): string | null {
  if (isIPv4(ipAddress)) return `${ipAddress.slice(0, ipAddress.lastIndexOf("."))}.0/${networkBits.ipv4}`;
  if (!isIPv6(ipAddress)) return null;
  const [head = ""] = ipAddress.split("::", 1);
  const groups = head === "" ? [] : head.split(":");
  // Groups that `::` leaves out are zero.
  const first = [0, 1, 2].map((index) => Number.parseInt(groups[index] ?? "0", 16).toString(16));
  return `${first.join(":").replace(/^0(:0)+$|(:0)+$/, "")}::/${networkBits.ipv6}`;
}
