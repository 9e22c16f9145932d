import { fromIsoTime, toPlainTime } from "../../platform/lib/clock.ts";
import type { BackupManifest } from "../../operations/backups/repository/format.ts";
import { hostOf } from "../../operations/backups/repository/lineage.ts";
import { findUndamaged } from "../../operations/backups/repository/repository.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { explained, fromFlag, openPlace, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag } from "../terminal/flags.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import { changeSecretCommand } from "./backups-change-secret.ts";
import { verifyCommand } from "./backups-verify.ts";

/** @property manifest undefined: damaged */
type Row = { id: string; manifest: BackupManifest | undefined };

/** Returns the text of a backup; empty: it is damaged. */
const cellOf =
  (textOf: (manifest: BackupManifest) => string) =>
  ({ manifest }: Row) =>
    manifest === undefined ? "" : textOf(manifest);

const columns: Column<Row>[] = [
  { title: "BACKUP", cell: ({ id }) => id },
  { title: "MADE", cell: cellOf(({ completedAt }) => plain(completedAt)) },
  { title: "VERSION", cell: cellOf(({ version }) => version) },
  { title: "FILES", right: true, cell: cellOf(({ files }) => String(files)) },
  { title: "SIZE", right: true, cell: cellOf(({ bytes }) => bytesText(bytes)) },
  {
    title: "STORED",
    right: true,
    cell: ({ manifest }) => (manifest === undefined ? "damaged" : bytesText(manifest.storedBytes)),
  },
  { title: "HOST", cell: cellOf(hostOf) },
  { title: "LINEAGE", cell: cellOf(({ lineage = "" }) => lineage) },
];

const list = command({
  name: "list",
  summary: "list the backups, the newest last",
  details: `STORED is what a backup added to those before it. A LINEAGE is of one database on one machine; a restore and
'standby promote' begin another. If two alternate, two appliances write to the same backups.`,
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
      for (const id of await repository.ids())
        found.push({ id, manifest: await findUndamaged(repository, id) });
      return found;
    });
    if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
    else printRows(terminal, rows, { columns, none: "no backups; 'phishwatch backup' makes one" });
  },
});

function shape({ id, manifest }: Row) {
  if (manifest === undefined) return { id, problem: "damaged" };
  const { beganAt, completedAt, version, files, bytes, newBytes, storedBytes } = manifest;
  const { host = null, lineage = null } = manifest;
  const sizes = { files, bytes, newBytes, storedBytes };
  return { id, problem: null, beganAt, completedAt, version, ...sizes, host, lineage };
}

function plain(time: string): string {
  return toPlainTime(fromIsoTime(time) ?? 0);
}

export const backupsCommands: CommandGroup = {
  name: "backups",
  summary: "list and verify backups, and change their secret",
  commands: [list, verifyCommand, changeSecretCommand],
};
