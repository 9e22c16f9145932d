import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BackupManifest, headKeys } from "../../operations/backups/repository/format.ts";
import { changeRepositorySecret, findUndamaged } from "../../operations/backups/repository/repository.ts";
import { openStore } from "../../operations/backups/stores/open-store.ts";
import { backupSecretRule } from "../../platform/config/sections/backup.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { fromIsoTime, systemClock, toPlainTime } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { explained, findBackup, fromFlag, openPlace, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { command, type CommandGroup, FailedError, type OptionsOf } from "../terminal/command.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { rehearseRestore, verifyBackup } from "../../operations/backups/restoring/rehearse.ts";
import type { Config } from "../../platform/config/config.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { open as openAppliance } from "../appliance/with-appliance.ts";
import { type Column, printJson, printList } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { hostOf } from "../../operations/backups/repository/lineage.ts";

const changeSecretCommand = command({
  name: "change-secret",
  arguments: "<file>",
  flags: { from: fromFlag, config: configFlag },
  async run({ args, options, terminal }) {
    const { backup } = await loadConfiguration(options.config, terminal.env);
    const { location, encryptWith } = placeOf(backup, options.from, "--from");
    if (encryptWith === null)
      throw new FailedError("backup.encrypt_with is not set; it must be the present secret of the backups");
    if (location.kind === "folder") requireOwnFolder(join(location.folder, headKeys[0]));
    const secret = readSecret(args[0] ?? "");
    const signal = terminal.interruption();
    const store = await explained(async () =>
      openStore({ location, clock: systemClock, fillRandom, signal }),
    );
    await explained(() => changeRepositorySecret({ store, previousSecret: encryptWith, secret, fillRandom }));
    terminal.err.write(
      `the new secret opens the backups in ${store.name}; set backup.encrypt_with to it now\n`,
    );
  },
});

/** @throws FailedError, without the secret */
function readSecret(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new FailedError(`${visible(path, 500)} cannot be read: ${messageOf(error)}`);
  }
  const { lengthMin, lengthMax } = backupSecretRule;
  if (text.length >= lengthMin && text.length <= lengthMax && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new FailedError(
    `${visible(path, 500)} must contain ${lengthMin} to ${lengthMax} visible ASCII characters on one line`,
  );
}

const verifyFlags = { restore: toggle("--restore"), from: fromFlag, json: jsonFlag, config: configFlag };

const verifyCommand = command({
  name: "verify",
  arguments: "[id]",
  flags: verifyFlags,
  run: ({ args, options, terminal }) => verifyOne(args[0], options, terminal),
});

/** Verifies a backup for a command. */
export async function verifyOne(
  given: string | undefined,
  { restore, from, json, config: configPath }: OptionsOf<typeof verifyFlags>,
  terminal: Terminal,
): Promise<void> {
  const config = await loadConfiguration(configPath, terminal.env);
  const signal = terminal.interruption();
  const repository = await openPlace(placeOf(config.backup, from, "--from"), signal);
  const manifest = await findBackup(repository, given);
  const { id } = manifest;
  const common = { repository, manifest, clock: systemClock, signal };
  const open = ({ database }: { database: string }) => openOnce(config, database, terminal);
  const place = { databasePath: config.storage.path, fillRandom, open };
  const result = await explained(() =>
    restore ? rehearseRestore({ ...common, ...place }) : verifyBackup(common),
  );
  if (json) return printJson(terminal.out, { id, restored: restore, ...result });
  const { files, bytes, durationMs } = result;
  const what = `${files} files with ${bytesText(bytes)} in ${spanText(durationMs)}`;
  terminal.out.write(restore ? `${id} can be restored: ${what}\n` : `${id} is complete: ${what}\n`);
}

/** Opens the appliance on a restored database and closes it: nothing is started. */
async function openOnce(config: Config, path: string, terminal: Terminal): Promise<void> {
  const { source: _, ...rest } = config;
  const appliance = openAppliance({ ...rest, storage: { path } }, terminal, { level: "warn" });
  try {
    appliance.threats.list({}, { page: 1, perPage: 1 });
  } finally {
    await appliance.archive.stop();
    appliance.close();
  }
}

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
  flags: { from: fromFlag, json: jsonFlag, config: configFlag },
  async run({ options, terminal }) {
    const { backup } = await loadConfiguration(options.config, terminal.env);
    const repository = await openPlace(placeOf(backup, options.from, "--from"), terminal.interruption());
    const rows = await explained(async () =>
      Array.fromAsync(await repository.ids(), async (id) => ({
        id,
        manifest: await findUndamaged(repository, id),
      })),
    );
    const none = "no backups; 'phishwatch backup' makes one";
    printList({ options, terminal }, rows, { columns, none, json: shape });
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
  commands: [list, verifyCommand, changeSecretCommand],
};
