import { lazy } from "../../../platform/lib/startup.ts";
import { linesOfList, listText } from "../../../platform/lib/lists/list-texts.ts";
import { addressNumber } from "../../../platform/network/addresses.ts";
import embeddedText from "./data/address-registries.txt" with { type: "text" };

/** Services of a regional Internet registry. */
export interface AddressRegistry {
  /** Base URL of the RDAP service, with a trailing slash. */
  rdapUrl: string;
  /** Host, with `:port` unless that is 43. */
  whoisServer: string;
}

/** Returns the registry of an IP address; undefined for one that IANA has allocated to none. */
export type AddressRegistryFor = (address: string) => AddressRegistry | undefined;

interface Block {
  registry: AddressRegistry;
  width: 32 | 128;
  /** The first bits of its addresses, as a number. */
  prefix: bigint;
  bits: number;
}

/** Returns a function that finds registries in the list of the data update, or else in the embedded one. */
export function embeddedAddressRegistries(): AddressRegistryFor {
  // Most runs of the program never need it.
  const table = lazy(() => parseRegistryLines(listText("address_registries", embeddedText)));
  return (address) => findRegistry(table(), address);
}

/** Returns the registry of the longest matching block. After a transfer between registries, it responds with a redirect. */
function findRegistry(blocks: readonly Block[], address: string): AddressRegistry | undefined {
  const number = addressNumber(address);
  if (number === undefined) return undefined;
  const { value, width } = number;
  return blocks.find((block) => block.width === width && value >> BigInt(width - block.bits) === block.prefix)
    ?.registry;
}

/**
 * Parses lines with the URL of an RDAP service, a WHOIS server, and blocks of addresses. The longest block comes first.
 * @throws an error that quotes the first block that is not one
 */
export function parseRegistryLines(text: string): Block[] {
  return linesOfList(text)
    .flatMap((line) => {
      const [rdapUrl = "", whoisServer = "", ...blocks] = line.split(" ");
      return blocks.map((block) => parseBlock(block, { rdapUrl, whoisServer }));
    })
    .sort((a, b) => b.bits - a.bits);
}

function parseBlock(text: string, registry: AddressRegistry): Block {
  const [address = "", length = ""] = text.split("/");
  const number = addressNumber(address);
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (number === undefined || !(bits >= 1 && bits <= number.width))
    throw new Error(`"${text.slice(0, 60)}" is not a block of addresses`);
  const { value, width } = number;
  return { registry, width, prefix: value >> BigInt(width - bits), bits };
}
