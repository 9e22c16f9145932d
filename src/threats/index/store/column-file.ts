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
import { rawSettings } from "../../../access/settings/raw-settings.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { indexPartialEnding } from "../../../platform/database/files/pending-restore.ts";
import { randomText } from "../../../platform/lib/ids.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { createColumns, type MutableColumns } from "../columns/columns.ts";
import { arraysOf, capacityFor, createFields } from "../columns/fields.ts";
import { kinds } from "../columns/kinds.ts";
import type { InternationalizedName } from "../columns/name-column.ts";
import type { NumberArray } from "../arrays/numbers.ts";
import { summarize } from "../columns/summarize.ts";
import { createSectionReader, createSectionWriter, type Section } from "./sections.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";

const markName = "threat_index_copy";
const markBytes = 16;
/** Length and hash of the footer, the last bytes of the file. */
const endBytes = 16;

/** Changes when copies of earlier forms can no longer be read. */
const formVersion = 2;

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
  sections: Section[];
}

/** Columns, and the last change that they contain. */
interface Followed {
  columns: MutableColumns;
  version: number;
}

export type ColumnFile = ReturnType<typeof createColumnFile>;

/** @param program version of the code and the lists that compute the columns, such as the public suffixes of name servers */
export function createColumnFile(
  { database, clock, fillRandom }: Needs<"clock" | "database" | "fillRandom">,
  program: string,
) {
  const form = formOf(program);
  const path = `${database.path}.index`;
  const next = `${database.path}${indexPartialEnding}`;
  const settings = () => rawSettings(database.sqlite, clock.now());

  return {
    /**
     * Returns undefined if there is no copy of this database.
     * @throws an error of the system, or one about damage
     */
    async load(yielder: Yielder): Promise<Followed | undefined> {
      const mark = settings().get(markName);
      if (mark === undefined) return undefined;
      try {
        await using file = await open(path, "r");
        const footer = await readFooter(file);
        if (footer.form !== form || footer.mark !== mark) return undefined;
        return { columns: await readColumns(file, footer, yielder), version: footer.version };
      } catch (error) {
        return undefinedIfMissing(error);
      }
    },

    /** Writes a copy. The columns may change while it is written. */
    async save(followed: Followed, yielder: Yielder): Promise<void> {
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

/** Returns a text that changes when copies of earlier forms or of other programs can no longer be read. */
function formOf(program: string): string {
  const names = arraysOf(createFields(0)).map(({ name }) => name);
  return Bun.hash(JSON.stringify([formVersion, program, names, kinds])).toString(36);
}

async function writeColumns(
  file: FileHandle,
  { columns, version, form, mark }: Followed & Pick<Footer, "form" | "mark">,
  yielder: Yielder,
): Promise<void> {
  const { count, hosts, names, assigneeNumbers, campaignNumbers, earlierDecisions, seqs } = columns;
  const { text: parts, internationalized } = names.content(count);
  const runs = seqs.content();
  const sections: Section[] = [];
  const write = createSectionWriter(file, sections, yielder);
  for (const { name, get } of arraysOf(columns)) await write(name, get().subarray(0, count));
  // The first part gives the type.
  await write("names", new Uint8Array(0), ...parts.map(({ bytes }) => bytes));
  await write("lengths", new Uint8Array(0), ...parts.map(({ lengths }) => lengths));
  await write("runRows", runs.rows);
  await write("runSeqs", runs.seqs);
  await write("campaigns", Float64Array.from(seqsOf(campaignNumbers)));
  // Also read late, since the fields refer to its elements.
  await write("earlierDecisions", Float64Array.from(earlierDecisions));
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
  const textEnd = (await file.stat()).size - endBytes;
  if (textEnd < 0) throw new Error("the copy is damaged");
  const end = Buffer.alloc(endBytes);
  await file.read(end, 0, endBytes, textEnd);
  const textBytes = Number(end.readBigUInt64LE());
  if (textBytes > textEnd) throw new Error("the copy is damaged");
  const text = Buffer.alloc(textBytes);
  await file.read(text, 0, textBytes, textEnd - textBytes);
  if (Bun.hash.xxHash64(text) !== end.readBigUInt64LE(endBytes / 2)) throw new Error("the copy is damaged");
  return JSON.parse(text.toString()) as Footer;
}

async function readColumns(file: FileHandle, footer: Footer, yielder: Yielder): Promise<MutableColumns> {
  const { assignees, count, hosts, internationalized } = footer;
  const next = createSectionReader(file, footer.sections, yielder);
  const fields = createFields(0);
  for (const { name, set } of arraysOf(fields)) set(await next<NumberArray>(name, capacityFor(count)));
  const names = await next<Uint8Array<ArrayBuffer>>("names");
  const columns = createColumns({
    count,
    fields,
    names: {
      text: { bytes: Buffer.from(names.buffer), lengths: await next<Uint8Array>("lengths") },
      internationalized,
    },
    seqs: {
      count,
      rows: await next<Uint32Array>("runRows"),
      seqs: await next<Float64Array>("runSeqs"),
    },
    hosts,
    assignees,
    campaigns: [...(await next("campaigns"))],
    earlierDecisions: [...(await next("earlierDecisions"))],
  });
  await summarize(columns, yielder);
  return columns;
}
