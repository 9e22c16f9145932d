import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
  type Answer,
  type DecodedPacket,
} from "dns-packet";

/** Records and behavior of a name. */
export interface Entry {
  A?: string[];
  AAAA?: string[];
  NS?: string[];
  MX?: [preference: number, exchange: string][];
  TXT?: string[];
  CNAME?: string;
  SOA?: true;
  rcode?: "SERVFAIL" | "REFUSED" | "NOTIMP" | "FORMERR";
  /** Sends no response. */
  silent?: true;
  /** Over UDP, sends an empty response with the TC bit, which requests TCP. */
  truncated?: true;
  /** Sends a referral: other name servers in the authority section, and no answer. */
  referral?: true;
  /** Sends these bytes, each as one message, like a hostile server. */
  raw?: (query: Buffer, over: "udp" | "tcp") => Uint8Array[];
}

/** Entries by name; `*.parent` applies to every name below the parent that has no entry. */
export type Zones = Record<string, Entry>;

export interface Asked {
  name: string;
  type: string;
  over: "udp" | "tcp";
  /** Source port and identifier, which a forger would have to guess. */
  port: number;
  id: number;
  edns: boolean;
}

/** Suffixes that every resolver with a path to the root servers knows. */
const suffixes: Zones = Object.fromEntries(
  ["com", "net", "org"].map((suffix) => [suffix, { NS: ["a.gtld-servers.net"] }]),
);

const rcodes = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
const ttl = 60;

/**
 * Starts a real name server on loopback, with UDP and TCP on one port, that responds like a recursive resolver: it
 * follows chains, and a name without an entry or a wildcard does not exist. It knows the largest suffixes, unless an
 * entry applies to every name.
 * @param options.denies returns true while it denies every name, as a resolver without a path to the root servers does.
 * @param options.drops returns whether it gives no response to a query.
 */
export async function startDnsServer(
  given: Zones,
  {
    address = "127.0.0.1",
    port: wanted = 0,
    denies = () => false,
    drops = () => false,
  }: { address?: string; port?: number; denies?: () => boolean; drops?: () => boolean } = {},
) {
  const zones: Zones = "*." in given ? given : { ...suffixes, ...given };
  const asked: Asked[] = [];
  const names = new Set(Object.keys(zones));
  const parents = new Set<string>();
  for (const name of names) {
    const labels = name.split(".");
    for (let i = 1; i < labels.length; i++) parents.add(labels.slice(i).join("."));
  }

  function entryOf(name: string): Entry | undefined {
    if (names.has(name)) return zones[name];
    if (parents.has(name)) return {};
    const labels = name.split(".");
    for (let i = 1; i < labels.length; i++) {
      const parent = labels.slice(i).join(".");
      if (names.has(`*.${parent}`)) return zones[`*.${parent}`];
      if (names.has(parent) || parents.has(parent)) return undefined;
    }
    return zones["*."];
  }

  function respond(query: Buffer, over: "udp" | "tcp", port: number): Uint8Array[] {
    const packet = decode(query);
    const [question] = packet.questions!;
    const name = question!.name.toLowerCase();
    const edns = packet.additionals!.some(({ type }) => type === "OPT");
    asked.push({ name, type: question!.type, over, port, id: packet.id!, edns });
    if (drops()) return [];
    if (denies()) return [respondWith(packet, rcodes.NXDOMAIN, [], [soaRecord("")])];
    const first = entryOf(name);
    if (first?.silent === true) return [];
    if (first?.raw !== undefined) return first.raw(query, over);
    if (first?.rcode !== undefined && !(first.rcode === "FORMERR" && !edns))
      return [respondWith(packet, rcodes[first.rcode], [])];
    if (first?.truncated === true && over === "udp") return [respondWith(packet, TRUNCATED_RESPONSE, [])];
    if (first?.referral === true) return [respondWith(packet, 0, [], [nsRecord("net", "ns.elsewhere.net")])];
    const answers: Answer[] = [];
    let end = name;
    let entry = first;
    for (let hops = 0; hops < 20 && entry?.CNAME !== undefined && question!.type !== "CNAME"; hops++) {
      answers.push({ type: "CNAME", name: end, ttl, class: "IN", data: entry.CNAME });
      end = entry.CNAME;
      entry = entryOf(end);
    }
    if (entry !== undefined) answers.push(...recordsOf(end, question!.type, entry));
    const found = answers.some(({ type }) => type === question!.type);
    return [
      respondWith(packet, entry === undefined ? rcodes.NXDOMAIN : 0, answers, found ? [] : [soaRecord("")]),
    ];
  }

  const listenTcp = () =>
    Bun.listen<{ pieces: Buffer[] }>({
      hostname: address,
      port: wanted,
      socket: {
        open: (socket) => void (socket.data = { pieces: [] }),
        data(socket, piece) {
          socket.data.pieces.push(Buffer.from(piece));
          const whole = Buffer.concat(socket.data.pieces);
          if (whole.length < 2 || whole.length < 2 + whole.readUInt16BE(0)) return;
          for (const message of respond(whole.subarray(2), "tcp", socket.remotePort)) {
            const length = Buffer.alloc(2);
            length.writeUInt16BE(Math.min(message.length, 65_535));
            socket.write(Buffer.concat([length, message]));
          }
        },
      },
    });
  const listenUdp = (taken: number) =>
    Bun.udpSocket({
      hostname: address,
      port: taken,
      socket: {
        data(socket, data, port, from) {
          for (const message of respond(data, "udp", port)) socket.send(message, port, from);
        },
        // The client may have disconnected.
        error() {},
      },
    });
  // A port that is free for TCP may be taken for UDP.
  let tcp = listenTcp();
  let udp: Awaited<ReturnType<typeof listenUdp>> | undefined;
  for (let attempt = 0; udp === undefined; attempt++) {
    try {
      udp = await listenUdp(tcp.port);
    } catch (error) {
      tcp.stop(true);
      if (attempt === 20) throw error;
      tcp = listenTcp();
    }
  }
  return {
    server: { address, port: tcp.port },
    asked,
    /** Returns the queries for a name, as `type over transport`. */
    askedAbout: (name: string) =>
      asked.filter((one) => one.name === name).map(({ type, over }) => `${type} ${over}`),
    stop() {
      tcp.stop(true);
      udp?.close();
    },
  };
}

export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>;

/** Returns a response to `query` with these records, which `raw` entries can corrupt. */
export function answerTo(query: Buffer, answers: Answer[], flags = 0): Buffer {
  return respondWith(decode(query), flags, answers);
}

function respondWith(
  query: DecodedPacket,
  flags: number,
  answers: Answer[],
  authorities: Answer[] = [],
): Buffer {
  const recursive = authorities.some(({ type }) => type === "NS")
    ? 0
    : RECURSION_AVAILABLE | AUTHORITATIVE_ANSWER;
  return encode({
    type: "response",
    id: query.id!,
    flags: flags | RECURSION_DESIRED | recursive,
    questions: query.questions!,
    answers,
    authorities,
  });
}

function recordsOf(name: string, type: string, entry: Entry): Answer[] {
  switch (type) {
    case "A":
    case "AAAA":
    case "NS":
      return (entry[type] ?? []).map((data) => ({ name, ttl, class: "IN", type, data }));
    case "MX":
      return (entry.MX ?? []).map(([preference, exchange]) => {
        const data = { preference, exchange };
        return { name, ttl, class: "IN", type, data };
      });
    case "TXT":
      return (entry.TXT ?? []).map((data) => ({ name, ttl, class: "IN", type, data }));
    case "CNAME":
      return entry.CNAME === undefined ? [] : [{ name, ttl, class: "IN", type, data: entry.CNAME }];
    case "SOA":
      return entry.SOA === undefined ? [] : [soaRecord(name)];
    default:
      return [];
  }
}

function nsRecord(name: string, data: string): Answer {
  return { type: "NS", name, ttl, class: "IN", data };
}

function soaRecord(name: string): Answer {
  const times = { serial: 1, refresh: 3600, retry: 600, expire: 86_400, minimum: 60 };
  return {
    type: "SOA",
    name: name || ".",
    ttl,
    class: "IN",
    data: { mname: "ns.test", rname: "admin.test", ...times },
  };
}
