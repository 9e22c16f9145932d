import { basename } from "node:path";
import { toIsoTime } from "../../lib/clock.ts";
import type { FeedFile } from "../../sources/feeds/tables.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printRows, shortTime, type Column } from "../terminal/table.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

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

const list = command({
  name: "list",
  summary: "list the files of the declared feeds, how far each was read and what was found",
  flags: {
    failed: toggle("--failed", "only those that could not be read to their end"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch feeds list", "was last night's list taken up, and what was in it"],
    ["phishwatch feeds list --failed", "what needs a look"],
  ],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ feeds }) => {
      const declared = feeds.status();
      const rows = declared
        .flatMap(({ files }) => files)
        .filter(({ error }) => !options.failed || error !== null);
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else {
        const none = declared.length === 0 ? "no feeds are declared in the configuration" : "no files";
        printRows(terminal, rows, { columns, none });
      }
    }),
});

function state({ error, completedAt }: FeedFile): string {
  if (error !== null) return error;
  return completedAt === null ? "reading" : "read";
}

function shape(file: FeedFile) {
  const { feed, path, bytes, lines, invalid, matched, created, error } = file;
  return {
    feed,
    path,
    bytes,
    lines,
    invalid,
    matched,
    created,
    started_at: toIsoTime(file.startedAt),
    completed_at: file.completedAt === null ? null : toIsoTime(file.completedAt),
    error,
  };
}

export const feedsCommands: CommandGroup = {
  name: "feeds",
  summary: "files and folders of names that are declared in the configuration",
  commands: [list],
};
