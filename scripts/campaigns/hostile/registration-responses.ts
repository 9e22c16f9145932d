import type { Random } from "../../benchmarks/random.ts";

const rdapBytesMax = 600_000;
const whoisBytesMax = 80_000;

const repeated = (text: string, length: number) => text.repeat(Math.ceil(length / text.length));

const rdapShapes: Record<string, (random: Random, domain: string) => string> = {
  "nested arrays": () => repeated("[", rdapBytesMax),
  "closed nested arrays": () => repeated("[", 60_000) + repeated("]", 60_000),
  "nested objects": () => repeated('{"a":', 120_000),
  "many keys": () => `{${Array.from({ length: 12_000 }, (_, index) => `"k${index}":1`).join(",")}}`,
  "many shapes": () => `[${Array.from({ length: 10_000 }, (_, index) => `{"k${index}":1}`).join(",")}]`,
  "empty objects": () => `[${repeated("{},", 120_000)}0]`,
  "long text": (random, domain) => `{"ldhName":"${domain}","title":"${random.text("ab \\n", 100_000)}"}`,
  "prototype keys": (_random, domain) =>
    `{"__proto__":{"ldhName":"${domain}"},"constructor":1,"ldhName":"${domain}"}`,
  "nested entities": (_random, domain) => {
    const entity = (depth: number): object => ({
      roles: Array.from({ length: 40 }, () => "abuse"),
      entities: depth === 0 ? [] : Array.from({ length: 9 }, () => entity(depth - 1)),
      vcardArray: ["vcard", Array.from({ length: 20 }, () => ["fn", {}, "text", "N/A ".repeat(40)])],
    });
    return JSON.stringify({ ldhName: domain, entities: [entity(2)] }).slice(0, rdapBytesMax);
  },
  "many events": (_random, domain) =>
    `{"ldhName":"${domain}","events":[${repeated(`{"eventAction":"registration","eventDate":"2020-01-01T00:00:00Z${" ".repeat(40)}x"},`, 100_000)}0]}`,
  "wrong types": (random, domain) => {
    const value = () => random.pick([null, 1, "x", [], {}, [[]], true, -1e308, "\u202e"]);
    const keys = [
      "entities",
      "events",
      "links",
      "nameservers",
      "status",
      "secureDNS",
      "errorCode",
      "publicIds",
    ];
    return JSON.stringify({ ldhName: domain, ...Object.fromEntries(keys.map((key) => [key, value()])) });
  },
  links: (random, domain) => {
    const href = () =>
      random.pick(["http://127.0.0.1:25/", "ftp://x/", "http://x.example/".repeat(200), "//"]);
    return JSON.stringify({
      ldhName: domain,
      links: Array.from({ length: 900 }, () => ({ rel: "related", href: href() })),
    });
  },
};

/** Returns a body that an RDAP server could send to harm the client. */
export function hostileRdap(random: Random, domain: string): { kind: string; body: Buffer } {
  const kind = random.pick(Object.keys(rdapShapes));
  const body = Buffer.from(rdapShapes[kind]!(random, domain));
  if (random.below(3) === 0)
    for (let changes = 1 + random.below(20); changes > 0; changes -= 1)
      body[random.below(body.length)] = random.below(256);
  return { kind: `RDAP ${kind}`, body };
}

const whoisLines = (domain: string) => [
  "",
  "a: b",
  "[a] b",
  "\tx",
  " ",
  `domain: ${domain}`,
  "nserver: ns1.example.com 192.0.2.1",
  `status: ${"a,".repeat(400)}`,
  `created: 2020-01-01 ${" ".repeat(50)}x`,
  `registrar: x [Tag = ${" ".repeat(900)}`,
  `org: ${"redacted ".repeat(80)}`,
  `domain ${"x".repeat(240)}`,
  "number of requests exceeds ",
  "limit rate maximum requests query access ",
  "Registrar WHOIS Server: 127.0.0.1:25",
  "refer: \u0000",
  ">>>",
  "No match for",
];

/** Returns what a WHOIS server could send to harm the client. */
export function hostileWhois(random: Random, domain: string): { kind: string; body: Buffer } {
  const shape = random.below(3);
  const ends = random.pick(["\n", "\r\n", "\r"]);
  if (shape === 0) {
    const line = random.pick(whoisLines(domain));
    return {
      kind: `WHOIS lines "${line.slice(0, 20)}"`,
      body: Buffer.from(repeated(line + ends, whoisBytesMax)),
    };
  }
  if (shape === 1) {
    const lines = Array.from({ length: 2_000 }, () => random.pick(whoisLines(domain)));
    return { kind: "WHOIS mixed lines", body: Buffer.from(lines.join(ends)) };
  }
  const body = Buffer.alloc(random.below(whoisBytesMax));
  random.fill(body);
  return { kind: "WHOIS random bytes", body };
}
