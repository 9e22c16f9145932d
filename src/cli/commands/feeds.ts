import { jsonFields } from "../../platform/lib/key-names.ts";
import { basename } from "node:path";
import type { FeedFile } from "../../intake/sources/feeds/tables.ts";
import { type CommandGroup } from "../terminal/command.ts";
import { jsonFlag, toggle } from "../terminal/flags.ts";
import { printList, shortTime, type Column } from "../terminal/table.ts";
import { appCommand } from "../appliance/app-command.ts";

const columns: Column<FeedFile>[] = [
  { title: "FEED", cell: ({ feed }) => feed, elastic: true },
  { title: "FILE", cell: ({ path }) => basename(path), elastic: true },
  { title: "LINES", cell: ({ lines }) => String(lines), right: true },
  { title: "INVALID", cell: ({ invalid }) => String(invalid), right: true },
  { title: "MATCHED", cell: ({ matched }) => String(matched), right: true },
  { title: "NEW", cell: ({ created }) => String(created), right: true },
  { title: "STARTED", cell: ({ startedAt }) => shortTime(startedAt) },
  { title: "STATE", cell: (file) => state(file), elastic: true },
];

/** Fields of the JSON output. */
const shownFields = "feed path bytes lines invalid matched created startedAt completedAt error";

const list = appCommand({
  name: "list",
  flags: { failed: toggle("--failed"), json: jsonFlag },
  run({ app: { feeds }, options, terminal }) {
    const declared = feeds.status();
    const rows = declared
      .flatMap(({ files }) => files)
      .filter(({ error }) => !options.failed || error !== null);
    const none = declared.length === 0 ? "no feeds in the configuration" : "no files yet";
    const json = (row: FeedFile) => jsonFields(row, shownFields);
    printList({ options, terminal }, rows, { columns, none, json });
  },
});

function state({ error, completedAt }: FeedFile): string {
  if (error !== null) return error;
  return completedAt === null ? "reading" : "read";
}

export const feedsCommands: CommandGroup = {
  name: "feeds",
  commands: [list],
};
