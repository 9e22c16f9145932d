/**
 * Who holds a name: a parking service that waits for a buyer, or a sinkhole that made it harmless. Told by where
 * it points; the marks stand in `hosting.txt`.
 */
import { BlockList, isIPv6 } from "node:net";
import marksText from "./hosting.txt" with { type: "text" };

export interface Hosting {
  parked?: string;
  sinkholed?: string;
}

type Kind = keyof Hosting;

interface Mark {
  kind: Kind;
  holder: string;
}

const names = new Map<string, Mark>();
const networks: { mark: Mark; addresses: BlockList }[] = [];
readMarks(marksText);

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
  const note = (mark: Mark | undefined) => {
    if (mark !== undefined) hosting[mark.kind] ??= mark.holder;
  };
  // Anybody can write one server of theirs beside his own.
  const holders = nameServers.map(markOfName);
  if (holders.every((mark) => mark !== undefined)) for (const mark of holders) note(mark);
  if (canonicalName !== undefined) note(markOfName(canonicalName));
  // One address that is not theirs is where it really leads.
  const marks = addresses.map(markOfAddress);
  if (marks.every((mark) => mark !== undefined)) for (const mark of marks) note(mark);
  return hosting;
}

function markOfName(name: string): Mark | undefined {
  for (let rest = name; rest.includes("."); rest = rest.slice(rest.indexOf(".") + 1)) {
    const mark = names.get(rest);
    if (mark !== undefined) return mark;
  }
  return undefined;
}

function markOfAddress(address: string): Mark | undefined {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return networks.find(({ addresses }) => addresses.check(address, family))?.mark;
}

/** A line: kind, mark (a name, with all below it, or a network), holder. */
function readMarks(text: string): void {
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [kind = "", mark = "", ...words] = line.split(/\s+/);
    const entry: Mark = { kind: kind as Kind, holder: words.join(" ") };
    const [address = "", bits] = mark.split("/");
    if (bits === undefined) {
      names.set(mark, entry);
      continue;
    }
    const addresses = new BlockList();
    addresses.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
    networks.push({ mark: entry, addresses });
  }
}
