/**
 * A copy of the columns in a file next to the database, so that the first search after a start need not read all
 * threats, which takes twenty times as long.
 *
 * The copy is written while the columns change. That is safe, because every change after `version` is read again from
 * the change log. A copy belongs to one state of the database: when it is complete, a random mark is written to the
 * database and to the copy. A database that was restored from a backup has another mark, or none, and the copy is
 * ignored; so is one of another form or program, one that is damaged, and one that the change log does not reach back to.
 */
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { rawSettings } from "../../access/settings/raw-settings.ts";
import type { Database } from "../../database/database.ts";
import { indexPartialEnding } from "../../database/files/leftovers.ts";
import type { Clock } from "../../lib/clock.ts";
import { randomText, type FillRandom } from "../../lib/ids.ts";
import type { Yielder } from "../../lib/yielder.ts";
import { createArrays, createColumns, summarize, type Arrays, type MutableColumns } from "./columns.ts";
import { kinds } from "./kinds.ts";
import type { InternationalizedName } from "./name-column.ts";

const markName = "threat_index_copy";
const markBytes = 16;
const chunkBytes = 4 << 20;
const rowsPerSlice = 4_096;
/** Length and hash of the footer, the last bytes of the file. */
const endBytes = 16;

/** The part of the content that is written last, as JSON. */
interface Footer {
  form: string;
  mark: string;
  version: number;
  count: number;
  hosts: Record<keyof MutableColumns["hosts"], readonly string[]>;
  assignees: number[];
  internationalized: InternationalizedName[];
  /** In the order of the file. */
  sections: { name: string; bytes: number; hash: string }[];
}

/** Columns, and the last change that they contain. */
interface Followed {
  columns: MutableColumns;
  version: number;
}

export interface ColumnFile {
  /**
   * Returns undefined if there is no copy of this database.
   * @throws an error of the system, or one about damage
   */
  load(yielder: Yielder): Promise<Followed | undefined>;
  /** The columns may change meanwhile. */
  save(followed: Followed, yielder: Yielder): Promise<void>;
}

export function createColumnFile({
  database,
  clock,
  fillRandom,
  program,
}: {
  database: Pick<Database, "path" | "sqlite" | "write">;
  clock: Pick<Clock, "now">;
  fillRandom: FillRandom;
  /** Version of the code and the lists that compute the columns, such as the public suffixes of name servers. */
  program: string;
}): ColumnFile {
  const form = formOf(program);
  const path = `${database.path}.index`;
  const next = `${database.path}${indexPartialEnding}`;
  const settings = () => rawSettings(database.sqlite, clock.now());

  return {
    async load(yielder) {
      const mark = settings().get(markName);
      if (mark === undefined) return undefined;
      try {
        await using file = await open(path, "r");
        const footer = await readFooter(file);
        if (footer.form !== form || footer.mark !== mark) return undefined;
        return { columns: await readColumns(file, footer, yielder), version: footer.version };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },

    async save(followed, yielder) {
      const mark = randomText(fillRandom, markBytes);
      try {
        {
          await using file = await open(next, "w", 0o600);
          await writeColumns(file, { ...followed, form, mark }, yielder);
          await file.sync();
        }
        await database.write(() => settings().set(markName, mark), { patient: true });
        await rename(next, path);
      } finally {
        await rm(next, { force: true });
      }
    },
  };
}

/** Returns a text that changes when copies of earlier forms can no longer be read. */
function formOf(program: string): string {
  return Bun.hash(JSON.stringify([program, Object.entries(createArrays(0)).map(describe), kinds])).toString(
    36,
  );
}

function describe([name, { BYTES_PER_ELEMENT }]: [string, Arrays[keyof Arrays]]): string {
  return `${name} ${BYTES_PER_ELEMENT}`;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

async function writeColumns(
  file: FileHandle,
  { columns, version, form, mark }: Followed & Pick<Footer, "form" | "mark">,
  yielder: Yielder,
): Promise<void> {
  const { count, hosts, names, assigneeNumbers, campaignNumbers } = columns;
  const { bytes, starts, internationalized } = names.content();
  const sections: Footer["sections"] = [];
  const write = async (name: string, content: ArrayBufferView) => {
    let hash = 0n;
    for (let start = 0; start < content.byteLength; start += chunkBytes) {
      // A copy, because the hash has to be that of what is written.
      const chunk = bytesOf(content).slice(start, start + chunkBytes);
      hash = Bun.hash.xxHash64(chunk, hash);
      await file.write(chunk);
      if (yielder.due()) await yielder.pause();
    }
    sections.push({ name, bytes: content.byteLength, hash: String(hash) });
  };
  for (const name of Object.keys(createArrays(0)) as (keyof Arrays)[])
    await write(name, columns[name].subarray(0, count));
  await write("starts", starts.subarray(0, count));
  await write("names", bytes);
  await write("campaigns", Float64Array.from(seqsOf(campaignNumbers)));
  const footer: Footer = {
    form,
    mark,
    version,
    count,
    // Read last, when the values of all rows above have their numbers.
    hosts: {
      registrar: hosts.registrar.values(),
      nameServers: hosts.nameServers.values(),
      network: hosts.network.values(),
    },
    assignees: seqsOf(assigneeNumbers),
    internationalized: [...internationalized],
    sections,
  };
  const text = Buffer.from(JSON.stringify(footer));
  const end = Buffer.alloc(endBytes);
  end.writeBigUInt64LE(BigInt(text.length));
  end.writeBigUInt64LE(Bun.hash.xxHash64(text), endBytes / 2);
  await file.write(Buffer.concat([text, end]));
}

function seqsOf(numbers: MutableColumns["campaignNumbers"]): number[] {
  return Array.from({ length: numbers.count() - 1 }, (_, index) => numbers.seqAt(index + 1)!);
}

async function readFooter(file: FileHandle): Promise<Footer> {
  const { size } = await file.stat();
  const end = Buffer.alloc(endBytes);
  await file.read(end, 0, endBytes, size - endBytes);
  const textBytes = Number(end.readBigUInt64LE());
  if (textBytes > size) throw new Error("the copy is damaged");
  const text = Buffer.alloc(textBytes);
  await file.read(text, 0, textBytes, size - endBytes - textBytes);
  if (Bun.hash.xxHash64(text) !== end.readBigUInt64LE(endBytes / 2)) throw new Error("the copy is damaged");
  return JSON.parse(text.toString()) as Footer;
}

async function readColumns(file: FileHandle, footer: Footer, yielder: Yielder): Promise<MutableColumns> {
  let position = 0;
  const read = async (index: number, into: ArrayBufferView) => {
    const { bytes, hash: expected } = footer.sections[index]!;
    let hash = 0n;
    for (let start = 0; start < bytes; start += chunkBytes) {
      const chunk = bytesOf(into).subarray(start, Math.min(bytes, start + chunkBytes));
      await file.read(chunk, 0, chunk.length, position + start);
      hash = Bun.hash.xxHash64(chunk, hash);
      if (yielder.due()) await yielder.pause();
    }
    if (String(hash) !== expected) throw new Error("the copy is damaged");
    position += bytes;
  };
  const arrays = createArrays(footer.count);
  const names = Object.keys(arrays) as (keyof Arrays)[];
  for (const [index, name] of names.entries()) await read(index, arrays[name]);
  const starts = new Uint32Array(footer.count);
  await read(names.length, starts);
  const bytes = Buffer.alloc(footer.sections[names.length + 1]!.bytes);
  await read(names.length + 1, bytes);
  const campaigns = new Float64Array(footer.sections[names.length + 2]!.bytes / 8);
  await read(names.length + 2, campaigns);
  const { hosts, assignees, internationalized } = footer;
  const columns = createColumns({
    arrays,
    hosts,
    assignees,
    campaigns: [...campaigns],
    names: { bytes, starts, internationalized },
  });
  for (let from = 0; from < columns.count; from += rowsPerSlice) {
    summarize(columns, from, Math.min(columns.count, from + rowsPerSlice));
    if (yielder.due()) await yielder.pause();
  }
  return columns;
}
