/** Lists of links, hosts files, filter lists and response policy zones. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import { normalizeName } from "../../../src/engines/detection/names/name.ts";
import {
  isLinkToAddress,
  pastedUrl,
  readPastedName,
} from "../../../src/engines/detection/names/pasted-name.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createCandidates } from "../../../src/intake/sources/candidates.ts";

import { readListedEntry } from "../../../src/intake/sources/entries/entry.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { openStores } from "../../support/stores.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-formats-"));
afterAll(() => rmSync(folder, { recursive: true }));
console.error(`seed ${seed}`);

let files = 0;
function file(content: string, name = "list.txt"): string {
  const path = join(folder, `${files++}-${name}`);
  writeFileSync(path, content);
  return path;
}

interface Entry {
  name: string;
  link: string | undefined;
  line: number;
}

async function read(path: string, options: NameListOptions = {}): Promise<Entry[]> {
  const list = await openNameList(path, options);
  const entries: Entry[] = [];
  try {
    for await (const batch of list.batches())
      for (let i = 0; i < batch.count; i++) {
        const error = batch.error(i);
        const name = error === undefined ? batch.name(i) : `! ${error.why}`;
        entries.push({ name, link: batch.link?.(i), line: batch.line(i) });
      }
  } finally {
    await list.close();
  }
  return entries;
}

/** Returns the address of a link as a fact. */
function urlOf(text: string): { url?: string } {
  const url = "name" in normalizeName(text) ? undefined : pastedUrl(text);
  return url === undefined ? {} : { url };
}

const namesIn = async (path: string, options: NameListOptions = {}) =>
  (await read(path, options)).map(({ name }) => name);

const hostsFile = `# Title: blocked hosts
127.0.0.1 localhost localhost.localdomain
::1 localhost ip6-localhost
fe80::1%lo0 localhost
255.255.255.255 broadcasthost
0.0.0.0 0.0.0.0

0.0.0.0 a.com # the first
0.0.0.0\tb.com  www.b.com\tc.com
  127.0.0.1 d.com#no space
:: e.com
0.0.0.0 bücher.example
0.0.0.0 bad$name.com
f.com
192.0.2.1
`;

const filterList = `[Adblock Plus 2.0]
! Title: phishing
||a.com^
||b.com^$third-party,domain=x.com|y.com
||*.c.com^
@@||good.com^
||good2.com^$badfilter
||good3.com^$important,badfilter
d.com##.banner
e.com#@#.banner
##.ad
|https://f.com/login|
|http://g.com^
||h.com/path/file.js
||i.com:8443^
||sub*.j.com^
||k.com*
||192.0.2.7^
||[2001:db8::1]^
/^l[0-9]+\\.com$/
-banner-ad.
m.com
||n.com
/path/only.js
||bücher.example^
`;

const policyZone = `$TTL 300
@ SOA localhost. root.localhost. (2026 1h
   15m 30d 2h)
  NS localhost.
; comment
a.com CNAME .
*.a.com CNAME .
b.com 60 IN CNAME *. ; empty response
c.com CNAME rpz-passthru.
d.com CNAME d.com.
e.com CNAME rpz-drop.
f.com A 192.0.2.1
f.com AAAA 2001:db8::1
*.g.com CNAME garden.example.
32.7.2.0.192.rpz-ip CNAME .
ns.h.com.rpz-nsdname CNAME .
24.0.2.0.192.rpz-client-ip CNAME .
zip CNAME .
*.mov CNAME .
i.com. CNAME .
j.com TXT "note"
`;

describe("formats", () => {
  test.each<[string, string, NameListOptions, string[]]>([
    [
      "a hosts file",
      hostsFile,
      {},
      ["a.com", "b.com", "www.b.com", "c.com", "d.com", "e.com", "bücher.example", "bad$name.com"]
        .concat("! does not start with an address, as lines of a hosts file do"),
    ],
    ["a hosts file with tabs", "127.0.0.1\ta.com\n127.0.0.1\tb.com\n", {}, ["a.com", "b.com"]],
    ["an address beside a time", "192.0.2.1\t2026-01-01\ta.com\n", { column: "3" }, ["a.com"]],
    [
      "a filter list",
      filterList,
      {},
      ["a.com", "b.com", "c.com", "f.com", "g.com", "h.com", "i.com", "m.com", "n.com", "bücher.example"],
    ],
    ["a filter list without a header", "||a.com^\n||b.com^\n", {}, ["a.com", "b.com"]],
    [
      "a response policy zone",
      policyZone,
      {},
      ["a.com", "b.com", "e.com", "f.com", "g.com", "i.com", "j.com"],
    ],
    [
      "a response policy zone with absolute names",
      "rpz.local. 300 IN SOA a. b. 1 2 3 4 5\nrpz.local. 300 IN NS a.\na.com.rpz.local. 300 IN CNAME .\n*.a.com.rpz.local. 300 IN CNAME .\nB.com.RPZ.local. 300 IN CNAME .\n",
      {},
      ["a.com", "B.com"],
    ],
    [
      "a response policy zone with origins",
      "$ORIGIN .\nrpz.local 300 IN SOA a. b. 1 2 3 4 5\n$ORIGIN rpz.local.\na.com CNAME .\n$ORIGIN com.rpz.local.\nb CNAME .\n",
      {},
      ["a.com", "b.com"],
    ],
    ["rules of a response policy zone alone", "a.com CNAME .\nb.com CNAME .\n", {}, ["a.com", "b.com"]],
    [
      "a response policy zone of local data only",
      "$ORIGIN rpz.local.\n@ SOA a. b. 1 2 3 4 5\na.com A 192.0.2.1\n",
      { format: "rpz" },
      ["a.com"],
    ],
    [
      "a registry's zone with an alias",
      "$ORIGIN com.\n@ SOA a. b. 1 2 3 4 5\nexample NS ns.x.\nalias CNAME other.net.\n",
      {},
      ["example.com", "alias.com"],
    ],
    [
      "a zone with lifetimes and classes in either order",
      "$ORIGIN com.\n@ SOA a. b. 1 2 3 4 5\na 1h30m in ns x.\nb IN 300 Aaaa ::\nc CH TXT d\ne 300 RRSIG NS 8\nf HINFO NS\n",
      {},
      ["a.com", "b.com", "c.com"],
    ],
    ["csv of links", "id,url\n1,https://a.com/x?y=1\n2,http://b.com\n", {}, ["a.com", "b.com"]],
    [
      "csv of links without a heading",
      '# id,dateadded,url,status\n"1","2026-01-01 10:00:00","http://a.com/x;y.exe","online"\n"2","2026-01-01 10:00:00","http://b.com:8080/","offline"\n',
      {},
      ["a.com", "b.com"],
    ],
    ["csv of one column", "domain\na.com\nb.com\n", {}, ["a.com", "b.com"]],
    ["csv of one quoted column", '"URL"\n"https://a.com/x,y"\n"b.com"\n', {}, ["a.com", "b.com"]],
    ["csv with quoted delimiters", 'found,who,what\n"Mon, 12:00",a.com,x\n"Tue, 9:00",b.com,y\n', {}, ["a.com", "b.com"]],
    ["csv with a usual heading and longer records", "id;url\n1;https://a.com/x?y=1;z=2\n2;b.com\n", {}, ["a.com", "b.com"]],
    ["csv with quoted headings", '"id";"host"\n"1";"a.com"\n', {}, ["a.com"]],
    ["jsonl with a usual field beside others", '{"id":1,"domain":"a.com"}\n{"id":2,"domain":"b.com"}\n', {}, ["a.com", "b.com"]],
    ["jsonl of strings", '"a.com"\n"b.com"\n', {}, ["a.com", "b.com"]],
    ["names whose first line is no heading", "a.com, name\nb.com\nc.com, url, d.com\n", {}, ["a.com, name", "b.com", "c.com, url, d.com"]],
    ["jsonl of links", '{"url":"https://a.com/"}\n{"url":"hxxp://b.com/x"}\n', {}, ["a.com", "b.com"]],
    ["links with commas", "https://a.com/x,y\nhttps://b.com/\nhttps://c.com/z|w\n", {}, ["a.com", "b.com", "c.com"]],
  ])("the format is detected and read: %s", async (_, content, options, expected) => {
    expect(await namesIn(file(content), options)).toEqual(expected);
  }); // prettier-ignore

  test.each([
    ["hosts", hostsFile],
    ["adblock", filterList],
    ["rpz", policyZone],
    ["lines", "https://a.com/login\nb.com\nhxxp://c.com:80/\n"],
  ])("reading %s in pieces of any length yields the same names, lines and links", async (format, content) => {
    const options = { format } as NameListOptions;
    const whole = await read(file(content), options);
    expect(whole.length).toBeGreaterThan(2);
    const bytes = new TextEncoder().encode(content);
    for (const size of [1, 7, 64]) {
      let at = 0;
      const stream = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (at >= bytes.length) controller.close();
            else controller.enqueue(bytes.slice(at, (at += size)));
          },
        },
        { highWaterMark: 0 },
      );
      expect(await read("the names", { ...options, stream })).toEqual(whole);
    }
  });

  test("random bytes are read to the end in every format", async () => {
    const random = randomFrom(seed);
    const characters = 'aZ0.-_*|@^$!#:/ \t\n\r[]();"\\,é\0';
    let text = "a.com\n";
    for (let i = 0; i < 60_000; i++) text += characters[random(characters.length)]!;
    for (const format of ["lines", "hosts", "adblock", "zone", "rpz", "csv", "jsonl"] as const) {
      const entries = await read(file(`${text}\n`), { format });
      for (const { name } of entries) expect(name.length).toBeGreaterThan(0);
    }
  });
});

describe("links", () => {
  test("a plain link becomes its host, and the link is kept beside it", async () => {
    expect(await read(file("https://a.com/login\nb.com\nftp://c.com\n"))).toEqual([
      { name: "a.com", link: "https://a.com/login", line: 1 },
      { name: "b.com", link: undefined, line: 2 },
      { name: "c.com", link: "ftp://c.com", line: 3 },
    ]);
  });

  test.each<[NonNullable<NameListOptions["format"]>, string]>([
    ["lines", "https://a.com/x\nb.com\nhttp://c.com:80\n"],
    ["hosts", "0.0.0.0 a.com b.com # x\n127.0.0.1 localhost\n0.0.0.0 c.com\n"],
    ["adblock", "! x\n||a.com^\n||b.com^$x\n@@||x.com^\n|https://c.com/\n"],
    ["rpz", "a.com CNAME .\n*.a.com CNAME .\nb.com CNAME .\nc.com A 192.0.2.1\n"],
    ["csv", "1,https://a.com/x\n2,b.com\n3,c.com\n"],
  ])("the archive gets the names of %s without what is around them", async (format, content) => {
    const matcher = createMatcher([{ domain: "example-bank.com", keywords: [], allow: [] }], {
      minSimilarity: 0.75,
    });
    const startWorker = () => new Worker(join(import.meta.dir, "../../../src/main.ts"));
    for (const screening of [undefined, { matcher, threads: 1, startWorker }]) {
      const list = await openNameList(
        file(content),
        screening === undefined ? { format } : { format, screening },
      );
      let names = "";
      for await (const batch of list.batches()) names += Buffer.from(batch.names() ?? []).toString();
      await list.close();
      expect(names).toBe("a.com\nb.com\nc.com\n");
    }
  });

  test("a list yields the name that a person would get by pasting the line", async () => {
    const random = randomFrom(seed);
    const pick = (choices: string) => choices.split(" ")[random(choices.split(" ").length)]!;
    const lines = Array.from({ length: 4_000 }, () => {
      const parts = [
        pick("https:// http:// hxxp:// hxxps[:]// HTTPS:// ftp:// // http:\\\\ h**p:// mailto: x:y:// http:/"),
        pick("a.com paypa1[.]com B-ank.example x..y a%2ecom user@b.com 192.0.2.1 [2001:db8::1] bücher.de com . a.com. .a.com x_y.com"),
        pick(": :80 :8443 :808080 :x @c.com [:]443 _"),
        pick("/ /login ?q=1 #top /a[.]b /<x.com /x>, /\"quoted\" /a\\b /é /&amp; _"),
      ];
      return parts.join("").replace(/_$/, "");
    }); // prettier-ignore
    const entries = await read(file(lines.join("\n")), { format: "lines" });
    expect(entries.length).toBe(lines.length);
    for (const { name, link, line } of entries) {
      const given = lines[line - 1]!;
      expect(link ?? name).toBe(given);
      const pasted = readPastedName(given);
      const listed = readListedEntry(name, link);
      if ("skipped" in listed) expect(isLinkToAddress(given) && "error" in pasted).toBeTrue();
      else if ("error" in listed) expect(pasted).toEqual(listed);
      else if ("name" in pasted) expect(listed.entries).toEqual([{ ...pasted, ...urlOf(given) }]);
      else expect(listed.entries.length).toBeGreaterThan(0);
    }
    expect(entries.filter(({ link }) => link !== undefined).length).toBeGreaterThan(300);
  });

  test("the address of a link is kept without defanging, and only if there is one", () => {
    expect(
      [
        "hxxps://paypa1[.]com/login?x=1#y", "hXXp[:]//paypa1(.)com", "paypa1.com/login", "paypa1.com:8443",
        "//paypa1.com/x", "<https://paypa1.com/a b>", "https://b%C3%BCcher.de/ü", "paypa1.com", "login@paypa1.com",
        "mailto:login@paypa1.com", "http://", `https://paypa1.com/${"x".repeat(5_000)}`,
      ].map(pastedUrl),
    ).toEqual([
      "https://paypa1.com/login?x=1#y", "http://paypa1.com/", "http://paypa1.com/login", "http://paypa1.com:8443/",
      "http://paypa1.com/x", "https://paypa1.com/a%20b", "https://xn--bcher-kva.de/%C3%BC", undefined, undefined,
      undefined, undefined, undefined,
    ]);
  }); // prettier-ignore

  test("no look-alike in a link, hosts file or filter list is lost when several threads prefilter it", async () => {
    const matcher = createMatcher([{ domain: "example-bank.com", keywords: [], allow: [] }], {
      minSimilarity: 0.75,
    });
    let started = 0;
    const startWorker = () => {
      started++;
      return new Worker(join(import.meta.dir, "../../../src/main.ts"));
    };
    const screening = { matcher, threads: 2, startWorker };
    // Other threads start to help after some megabytes.
    const long = "x".repeat(500);
    const alike = [
      "example-bank.net",
      "examp1e-bank.com",
      "login.example-bnak.top",
      "xn--exampe-bank-5wb.com",
    ];
    const writings: [NameListOptions["format"], ((name: string, i: number) => string)[]][] = [
      [
        "lines",
        [
          (name, i) => `https://${name}/path/${i}?${long}`,
          (name) => `hxxp://${name.replaceAll(".", "[.]")}/${long}`,
          (name) => `http://user:pass@${name}:8080/`,
          (name) => `${name} # ${long}`,
          (name) => `${name}/login`,
        ],
      ],
      ["hosts", [(name) => `0.0.0.0 other.example ${name} more.example # ${long}`]],
      ["adblock", [(name) => `||${name}^$domain=${long}`, (name) => `|https://${name}/${long}`]],
    ];
    for (const [format, forms] of writings) {
      const lines = Array.from({ length: 16_000 }, (_, i) => {
        const name = i % 61 === 0 ? alike[i % alike.length]! : `name-${i}.of-nobody.example`;
        return forms[i % forms.length]!(name, i);
      });
      const path = file(lines.join("\n"));
      const expected = await found(path, { format });
      started = 0;
      expect(await found(path, { format, screening })).toEqual(expected);
      expect(started).toBe(1);
      expect(expected.length).toBeGreaterThan(100);
    }

    /** Reads every name as a person would, and classifies it. */
    async function found(path: string, options: NameListOptions): Promise<string[]> {
      return (await read(path, options)).flatMap(({ name, link, line }) => {
        const listed = readListedEntry(name, link);
        const names = "entries" in listed ? listed.entries.map((entry) => entry.name) : [];
        return names
          .filter((one) => matcher.match(one).length > 0)
          .map((one) => `${line} ${one} ${link ?? ""}`);
      });
    }
  });

  test("a look-alike from a list of links keeps the address as a fact, and a link to an address is no error", async () => {
    const stores = openStores();
    try {
      const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
      const candidates = createCandidates({ ...stores, yielder });
      const path = file(
        "https://examp1e-bank.com/login\nhxxp://examp1e-shop[.]com/pay\nhttp://192.0.2.1/login\nhttp://[2001:db8::1]/\nhttp://x/\n",
      );
      const list = await openNameList(path);
      const tally = await candidates.process(list.batches(), { source: "feed" });
      await list.close();
      expect(tally).toMatchObject({
        received: 5,
        matched: 2,
        invalid: 1,
        firstInvalid: [
          { line: 5, text: "http://x/", why: "has a host that is a single label, not a full name" },
        ],
      });
      const { threats } = stores.threats.list({}, { page: 1, perPage: 10 });
      const urls = threats.flatMap(({ id }) => stores.threats.origins(id).urls.map(({ url }) => url)).sort();
      expect(urls).toEqual(["http://examp1e-shop.com/pay", "https://examp1e-bank.com/login"]);
      const { id } = threats.find(({ domain }) => domain === "examp1e-bank.com")!;
      expect(stores.threats.addressToOpen(id)).toBe("https://examp1e-bank.com/login");
      // The newest usable one counts, and none of another host, scheme or length.
      const { matches } = await candidates.submit(
        [
          "https://me:pw@examp1e-bank.com/new",
          "ftp://examp1e-bank.com/x",
          `examp1e-bank.com/${"x".repeat(3_000)}`,
        ],
        { source: "submission" },
      );
      expect(matches).toHaveLength(1);
      expect(stores.threats.addressToOpen(id)).toBe("https://examp1e-bank.com/new");
      const [plain] = (await candidates.submit(["examp1e-bank.net"], { source: "submission" })).matches;
      expect(stores.threats.addressToOpen(plain!.threats[0]!.threatId)).toBe("examp1e-bank.net");
      expect(stores.threats.addressToOpen("thr_unknown")).toBeUndefined();
    } finally {
      stores.dispose();
    }
  });
});
