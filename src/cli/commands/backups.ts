import { fromIsoTime, toPlainTime } from "../../lib/clock.ts";
import type { BackupManifest } from "../../backups/repository/format.ts";
import { StoreError } from "../../backups/stores/store.ts";
import { bytesText } from "../../lib/durations.ts";
import { explained, fromFlag, openPlace, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag } from "../terminal/flags.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import { changeSecretCommand } from "./backups-change-secret.ts";
import { verifyCommand } from "./backups-verify.ts";

type Row = { id: string; manifest: BackupManifest | undefined; problem: string | null };

const columns: Column<Row>[] = [
  { title: "BACKUP", cell: ({ id }) => id },
  { title: "MADE", cell: ({ manifest }) => (manifest === undefined ? "" : plain(manifest.completedAt)) },
  { title: "VERSION", cell: ({ manifest }) => manifest?.version ?? "" },
  { title: "FILES", right: true, cell: ({ manifest }) => String(manifest?.files ?? "") },
  {
    title: "SIZE",
    right: true,
    cell: ({ manifest }) => (manifest === undefined ? "" : bytesText(manifest.bytes)),
  },
  {
    title: "STORED",
    right: true,
    cell: ({ manifest, problem }) =>
      manifest === undefined ? (problem ?? "") : bytesText(manifest.storedBytes),
  },
];

const list = command({
  name: "list",
  summary: "list the backups, the newest last",
  details: "STORED is what a backup added to those before it.",
  flags: { from: fromFlag, json: jsonFlag, config: configFlag },
  examples: [
    ["phishwatch backups list", "those of the configuration"],
    ["phishwatch backups list --from /mnt/backups", "those in another folder"],
  ],
  async run({ options, terminal }) {
    const { backup } = await loadConfiguration(options.config, terminal.env);
    const repository = await openPlace(placeOf(backup, options.from, "--from"), terminal.interruption());
    const rows = await explained(async () => {
      const found: Row[] = [];
      for (const id of await repository.ids()) found.push(await rowOf(id));
      return found;
    });
    if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
    else printRows(terminal, rows, { columns, none: "no backups; 'phishwatch backup' makes one" });

    async function rowOf(id: string): Promise<Row> {
      try {
        return { id, manifest: await repository.find(id), problem: null };
      } catch (error) {
        if (error instanceof StoreError && error.code === "damaged")
          return { id, manifest: undefined, problem: "damaged" };
        throw error;
      }
    }
  },
});

function shape({ id, manifest, problem }: Row) {
  if (manifest === undefined) return { id, problem };
  const { beganAt, completedAt, version, files, bytes, newBytes, storedBytes } = manifest;
  return { id, problem, beganAt, completedAt, version, files, bytes, newBytes, storedBytes };
}

function plain(time: string): string {
  return toPlainTime(fromIsoTime(time) ?? 0);
}

export const backupsCommands: CommandGroup = {
  name: "backups",
  summary: "list and verify backups, and change their secret",
  commands: [list, verifyCommand, changeSecretCommand],
};
