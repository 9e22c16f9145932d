import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createCertificateParts,
  readNames,
} from "../../src/engines/certificate-transparency/entries/certificate-names.ts";
import { createDerElement } from "../../src/engines/certificate-transparency/entries/der.ts";
import { createEntryScanner } from "../../src/engines/certificate-transparency/entries/entry-scanner.ts";
import { createNameBuffer } from "../../src/engines/certificate-transparency/entries/name-buffer.ts";
import { decodeContent } from "../../src/engines/certificate-transparency/reading/content.ts";
import { createTree } from "../../src/engines/certificate-transparency/trees/compact-range.ts";
import { createMatcher } from "../../src/engines/detection/match/matcher.ts";
import {
  certificateDer,
  dataTile,
  extension,
  getEntriesBody,
  logEntry,
  type EntryOptions,
} from "../../test/support/log-entries.ts";
import { readOptions } from "./options.ts";
import { randomFrom } from "./random.ts";
import { generateBrands, generateNames } from "./sample-names.ts";
import { formatTable, printGoal } from "./statistics.ts";

// Everything runs in one process, and the best of several rounds counts, so that the ratios are comparable.

const options = readOptions({
  benchmark: "certificates",
  summary:
    "Entries of certificate logs per second that the whole pipeline processes: gunzip, split, hash, Merkle tree, DER walk,\n" +
    "comparison of all names with the protected domains. Next to plain loops over the same entries.",
  options: {
    tiles: { default: null, value: "FOLDER", description: "folder of full data tiles, plain or gzipped" },
    protect: { default: null, value: "FILE", description: "protected domains, one per line" },
    count: { default: 100, value: "N", description: "protected domains to generate without --protect" },
    rounds: { default: 5, value: "N", description: "rounds; the best one counts" },
  },
});

const tileBytesMax = 64 * 1024 * 1024;
const entriesPerBlock = 256;
const generatedBlocks = 16;
const sampleOfPackages = 2_000;
const goals = { tiles: 100_000, responses: 50_000 };

const random = randomFrom(3);
const generated = generateEntries(generatedBlocks * entriesPerBlock);
const blocks = Array.from({ length: generatedBlocks }, (_, index) =>
  generated.slice(index * entriesPerBlock, (index + 1) * entriesPerBlock),
);
const tiles =
  options.tiles === null ? blocks.map((block) => Bun.gzipSync(dataTile(block))) : readTiles(options.tiles);
const chain = randomBytes(2_000);
const responses = blocks.map((block) => {
  // A precertificate with its chain, or only the chain, which many entries have in common.
  const entries = block.map((entry) => ({
    ...entry,
    extraData: Buffer.concat([entry.extraData, randomBytes(entry.extraData.length > 3 ? 256 : 0), chain]),
  }));
  return Bun.gzipSync(Buffer.from(getEntriesBody(entries)));
});

const matcher = createMatcher(
  options.protect === null
    ? generateBrands(options.count)
    : readFileSync(options.protect, "utf8")
        .split(/\s+/)
        .filter((domain) => domain !== "")
        .map((domain) => ({ domain, keywords: [], allow: [] })),
  { minSimilarity: 0.75 },
);

const scanner = createEntryScanner();
let names = 0;
let candidates = 0;
let matched = 0;

type Encoding = "data_tile" | "get_entries";
type Step = "names" | "matches";

/** Processes compressed blocks up to a step, and returns the number of entries. */
function pipeline(encoding: Encoding, compressed: readonly Uint8Array<ArrayBuffer>[], step: Step): number {
  const tree = createTree();
  let entries = 0;
  names = candidates = matched = 0;
  for (const gzip of compressed) {
    const bytes = decompressed(gzip);
    const batch = scanner.scan({ encoding, bytes, firstIndex: entries, countMax: entriesPerBlock });
    tree.append(batch.leafHashes);
    entries += batch.count;
    if (step === "names") continue;
    const { bytes: text, starts, ends, count } = batch.names;
    names += count;
    const passed = matcher.screenNames(batch.names, 0, count);
    for (let i = 0; i < count; i++) {
      if (passed[i] === 0) continue;
      candidates++;
      const name = Buffer.from(text.buffer, text.byteOffset + starts[i]!, ends[i]! - starts[i]!);
      if (matcher.match(name.toString("latin1")).length > 0) matched++;
    }
  }
  return entries;
}

/** Decompresses tiles and visits every entry, without reading it. */
function plainTileLoop(): number {
  let entries = 0;
  for (const gzip of tiles) {
    const tile = Buffer.from(decompressed(gzip));
    for (let at = 0; at < tile.length; entries++) {
      const isPrecertificate = tile.readUInt16BE(at + 8) === 1;
      at += isPrecertificate ? 42 : 10;
      at += 3 + tile.readUIntBE(at, 3);
      at += 2 + tile.readUInt16BE(at);
      if (isPrecertificate) at += 3 + tile.readUIntBE(at, 3);
      at += 2 + tile.readUInt16BE(at);
    }
  }
  return entries;
}

/** Decompresses and parses responses, and decodes every leaf, without reading it. */
function plainResponseLoop(): number {
  let entries = 0;
  for (const gzip of responses) {
    const text = new TextDecoder().decode(decompressed(gzip));
    for (const { leaf_input } of (JSON.parse(text) as { entries: { leaf_input: string }[] }).entries) {
      if (Buffer.from(leaf_input, "base64").length > 0) entries++;
    }
  }
  return entries;
}

/** Reads only the names of certificates, without hashing them. */
function namesOnly(): number {
  const buffer = createNameBuffer();
  const parts = createCertificateParts();
  for (const bytes of certificates) {
    buffer.startEntry(0);
    readNames(createDerElement(bytes), parts, buffer, { start: 0, end: bytes.length, form: "certificate" });
  }
  return certificates.length;
}

/** Does the same with the parser of the standard library, which reads no TBSCertificate. */
function standardParser(): number {
  for (const bytes of certificates) new X509Certificate(bytes).subjectAltName?.split(", ");
  return certificates.length;
}

const certificates = Array.from({ length: sampleOfPackages }, () =>
  certificateDer(entryOptions("a.example")),
);
const rows: string[][] = [];
const tileRate = measure("data tiles: everything", () => pipeline("data_tile", tiles, "matches"));
const share = (count: number) => `${((count / Math.max(names, 1)) * 100).toFixed(2)} %`;
const found = `${names} names, ${share(candidates)} candidates, ${share(matched)} matched`;
measure("data tiles: gunzip, split, hash, tree, names", () => pipeline("data_tile", tiles, "names"));
measure("data tiles: plain loop (gunzip, split)", plainTileLoop);
const responseRate = measure("get-entries: everything", () => pipeline("get_entries", responses, "matches"));
measure("get-entries: gunzip, split, hash, tree, names", () => pipeline("get_entries", responses, "names"));
measure("get-entries: plain loop (gunzip, JSON.parse, base64)", plainResponseLoop);
measure("names of certificates alone", namesOnly);
measure("names of certificates alone: node:crypto X509Certificate", standardParser);

console.log(`${found}\n`);
console.log(formatTable(["", "entries per second of one core", "of data tiles"], rows));
console.log();
printGoal("entries per second from data tiles", tileRate, { kind: "at least", limit: goals.tiles });
printGoal("entries per second from get-entries", responseRate, { kind: "at least", limit: goals.responses });

/** Decompresses as the readers of logs do, with a limit. */
function decompressed(body: Uint8Array): Uint8Array {
  const content = decodeContent({ body, encoding: "gzip", bytesMax: tileBytesMax });
  if ("failure" in content) throw new Error("a block cannot be decompressed");
  return content.bytes;
}

/** Returns entries per second of processor time, on all threads of the process: other programs affect it little. */
function measure(name: string, run: () => number): number {
  let best = 0;
  for (let round = 0; round < Math.max(1, options.rounds); round++) {
    const before = process.cpuUsage();
    const entries = run();
    const { user, system } = process.cpuUsage(before);
    best = Math.max(best, (entries / (user + system)) * 1e6);
  }
  const first = Number(rows[0]?.[1]?.replaceAll(",", "") ?? best);
  rows.push([name, Math.round(best).toLocaleString("en"), (best / first).toFixed(2)]);
  return best;
}

function generateEntries(count: number) {
  const lines = new TextDecoder().decode(generateNames(count)).trimEnd().split("\n");
  return lines.map((name, index) => logEntry(index, entryOptions(name)));
}

/** Half precertificates, with an extension of the size of two timestamps and of key identifiers, as in real ones. */
function entryOptions(name: string): EntryOptions {
  return {
    kind: random.below(2) === 0 ? "certificate" : "precertificate",
    names: random.below(2) === 0 ? [name] : [name, `www.${name}`],
    commonNames: [name],
    serial: `01${Buffer.from(randomBytes(15)).toString("hex")}`,
    extensions: [extension("2b06010401d679020402", randomBytes(500))],
  };
}

function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const { fill } = random;
  fill(bytes);
  return bytes;
}

function readTiles(folder: string): Uint8Array<ArrayBuffer>[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ name }) => {
      const bytes = Uint8Array.from(readFileSync(join(folder, name)));
      return bytes[0] === 0x1f && bytes[1] === 0x8b ? bytes : Bun.gzipSync(bytes);
    });
}
