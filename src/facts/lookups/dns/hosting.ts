/**
 * Recognizes names that are held by a parking service or a sinkhole, by the hosts and networks that they point to. The
 * markers are listed in `hosting.txt`.
 */
import { BlockList, isIPv6 } from "node:net";
import { lazy } from "../../../platform/lib/startup.ts";
import markersText from "./hosting.txt" with { type: "text" };

export interface Hosting {
  parked?: string;
  sinkholed?: string;
}

type Kind = keyof Hosting;

interface Marker {
  kind: Kind;
  holder: string;
}

interface Markers {
  names: ReadonlyMap<string, Marker>;
  networks: readonly { marker: Marker; addresses: BlockList }[];
}

const markers = lazy(() => readMarkers(markersText));

export function classifyHosting({
  addresses,
  nameServers,
  canonicalName,
}: {
  addresses: readonly string[];
  nameServers: readonly string[];
  canonicalName?: string | undefined;
}): Hosting {
  const hosting: Hosting = {};
  const note = (marker: Marker | undefined) => {
    if (marker !== undefined) hosting[marker.kind] ??= marker.holder;
  };
  // Anyone can list one of these name servers next to their own, so every one of them must match.
  const holders = nameServers.map(markerOfName);
  if (holders.every((marker) => marker !== undefined)) for (const marker of holders) note(marker);
  if (canonicalName !== undefined) note(markerOfName(canonicalName));
  // A single address outside of their networks is where the name really points.
  const owners = addresses.map(markerOfAddress);
  if (owners.every((marker) => marker !== undefined)) for (const marker of owners) note(marker);
  return hosting;
}

function markerOfName(name: string): Marker | undefined {
  for (let rest = name; rest.includes("."); rest = rest.slice(rest.indexOf(".") + 1)) {
    const marker = markers().names.get(rest);
    if (marker !== undefined) return marker;
  }
  return undefined;
}

function markerOfAddress(address: string): Marker | undefined {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return markers().networks.find(({ addresses }) => addresses.check(address, family))?.marker;
}

/** Reads lines of kind, pattern (a name, including its subdomains, or a network), and holder. */
function readMarkers(text: string): Markers {
  const names = new Map<string, Marker>();
  const networks: { marker: Marker; addresses: BlockList }[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [kind = "", pattern = "", ...words] = line.split(/\s+/);
    const entry: Marker = { kind: kind as Kind, holder: words.join(" ") };
    const [address = "", bits] = pattern.split("/");
    if (bits === undefined) {
      names.set(pattern, entry);
      continue;
    }
    const addresses = new BlockList();
    addresses.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
    networks.push({ marker: entry, addresses });
  }
  return { names, networks };
}
