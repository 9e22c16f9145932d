import { addressNumber } from "../../platform/network/addresses.ts";
import type { Network } from "../../facts/lookups/network/address-range.ts";

/** Invented hosting providers, each with one of the networks for documentation (RFC 5737). */
const providers: readonly { prefix: string; organization: string; country: string; host: string }[] = [
  { prefix: "192.0.2", organization: "Harbor Cloud B.V.", country: "NL", host: "harbor-cloud.example" },
  { prefix: "198.51.100", organization: "Northwind Hosting LLC", country: "US", host: "northwind.example" },
  { prefix: "203.0.113", organization: "Cheap Racks Ltd", country: "GB", host: "cheap-racks.example" },
];
/** RFC 3849. */
const ipv6: Network = {
  first: "2001:db8::",
  last: "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
  name: "SIX-NET",
  organization: "Six Networks AB",
  country: "SE",
  asn: 64_511,
  abuseEmail: "abuse@six-networks.example",
  source: "rdap",
  url: "https://rdap.registry.example/ip/2001:db8::",
};

/** Returns the network of an address of the sample world. */
export function sampleNetworkOf(address: string): Network {
  const found = providers.find(({ prefix }) => address.startsWith(`${prefix}.`));
  if (found === undefined && addressNumber(address)?.width === 128) return ipv6;
  const { prefix, organization, country, host } = found ?? providers[0]!;
  return {
    first: `${prefix}.0`,
    last: `${prefix}.255`,
    name: host.split(".")[0]!.toUpperCase(),
    organization,
    country,
    asn: 64_500 + providers.findIndex((provider) => provider.prefix === prefix),
    abuseEmail: `abuse@${host}`,
    source: "rdap",
    url: `https://rdap.registry.example/ip/${address}`,
  };
}
