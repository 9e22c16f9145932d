import { addressNumber } from "../../platform/network/addresses.ts";
import type { Network } from "../../facts/lookups/network/address-range.ts";
import samples from "./samples.json" with { type: "json" };

/** Invented hosting providers, each with one of the networks for documentation (RFC 5737). */
const { providers } = samples;
/** RFC 3849. */
const ipv6 = samples.ipv6Network as Network;

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
