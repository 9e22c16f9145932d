import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { restoreFile } from "../../operations/backups/file-backups.ts";
import { restoreBackup } from "../../operations/backups/restoring/restore-backup.ts";
import { readConfiguration } from "../../operations/backups/restoring/stage-files.ts";
import type { Needs } from "../../operations/backups/repository/needs.ts";
import { hostOf } from "../../operations/backups/repository/lineage.ts";
import { isDatabase } from "../../platform/database/backup.ts";
import { explain } from "../../platform/database/files/errors.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { listAside } from "../../platform/database/files/pending-restore.ts";
import { takeServeLock } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { requestChecks } from "../../intake/sources/archive-checks/check-store.ts";
import {
  explained,
  findBackup,
  fromFlag,
  isBackupId,
  openPlace,
  placeOf,
  placeWithoutConfiguration,
} from "../appliance/backup-place.ts";
import {
  databasePathIn,
  databasePathOf,
  defaultConfigPath,
  findConfigurationFile,
  loadConfiguration,
  requireFile,
} from "../appliance/configuration.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command, FailedError, UsageError } from "../terminal/command.ts";
import { configFlag, toggle } from "../terminal/flags.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { replaceFile } from "../../platform/lib/disk.ts";

const pathCharactersMax = 1_000;
/** Mode of a new folder for the configuration, which may contain secrets. */
const folderMode = 0o750;
/** Endings of a database whose path is in a backup. */
const databaseEndings = [".db", ".sqlite", ".sqlite3"];

export const restoreCommand = command({
  name: "restore",
  arguments: "[backup]",
  flags: {
    from: fromFlag,
    listAside: toggle("--list-aside"),
    removeAside: toggle("--remove-aside"),
    config: configFlag,
  },
  async run({ args, options, terminal }) {
    const [given] = args;
    const { config: configPath, from } = options;
    const hasConfiguration = findConfigurationFile(configPath, terminal.env) !== undefined;
    if (options.listAside || options.removeAside)
      return showAside(databasePathOf(configPath, terminal.env), options.removeAside, terminal);
    if (given !== undefined && given !== "latest" && !isBackupId(given)) {
      if (from !== undefined) throw new UsageError("a file and --from cannot be combined");
      return restoreDatabaseFile(resolve(given), configPath, terminal);
    }
    const signal = terminal.interruption();
    const place = hasConfiguration
      ? placeOf((await loadConfiguration(configPath, terminal.env)).backup, from, "--from")
      : placeWithoutConfiguration(from, terminal.env);
    const repository = await openPlace(place, signal);
    const manifest = await findBackup(repository, given);
    if (given === undefined || given === "latest")
      terminal.err.write(`restoring ${manifest.id}, the newest backup, made by ${hostOf(manifest)}\n`);
    const startedMs = systemClock.monotonicMs();
    const newMachine = { repository, manifest, configPath: configPath ?? defaultConfigPath, terminal };
    const path = hasConfiguration
      ? requireFile(databasePathOf(configPath, terminal.env))
      : await pathInBackup(newMachine);
    await restoreTo(path, { repository, manifest, signal }, terminal);
    const took = spanText(systemClock.monotonicMs() - startedMs);
    terminal.err.write(`restored ${manifest.id} to ${visible(path, pathCharactersMax)} in ${took}\n`);
    if (!hasConfiguration) await writeConfiguration(newMachine);
  },
});

async function restoreTo(
  path: string,
  backup: Needs<"repository" | "manifest" | "signal">,
  terminal: Terminal,
): Promise<void> {
  requireOwnFolder(path);
  using _lock = takeServeLock(path);
  const by = actorOfShell(terminal.env);
  const at = systemClock.now();
  const { keptAs } = await explained(() => restoreBackup({ ...backup, databasePath: path, by, at }));
  for (const kept of keptAs)
    terminal.err.write(`what was there before is kept as ${visible(kept, pathCharactersMax)}\n`);
}

/** A restore where no configuration file is yet: that of the backup becomes `configPath`. */
interface NewMachine extends Needs<"repository" | "manifest"> {
  configPath: string;
  terminal: Terminal;
}

/** Returns the path of the database that the configuration file of the backup names, as if it were at `configPath`. */
async function pathInBackup({ repository, manifest, configPath, terminal }: NewMachine): Promise<string> {
  const configuration = await explained(() => readConfiguration(repository.store, manifest));
  if (configuration === undefined)
    throw new FailedError(
      "there is no configuration file here, and the backup contains none; create one with 'phishwatch init'",
    );
  const path = requireFile(databasePathIn(configPath, configuration, terminal.env));
  requireDatabasePath(path, configPath);
  createFolderOf(configPath);
  return path;
}

/**
 * Rejects a path for the database that would replace another file, or create one that another program reads: who can
 * write to the place of the backups chooses it, and root restores.
 */
function requireDatabasePath(path: string, configPath: string): void {
  const reason = !databaseEndings.includes(extname(path))
    ? `its name does not end in ${databaseEndings.join(", ")}`
    : existsSync(path) && !isDatabase(path)
      ? "it exists, and is not a database of phishwatch"
      : undefined;
  if (reason === undefined) return;
  throw new FailedError(
    `the configuration file of the backup has the database in ${visible(path, pathCharactersMax)}, which is not accepted: ${reason}; to choose another path, write ${visible(configPath, pathCharactersMax)} first`,
  );
}

/** Before anything is restored: a configuration that cannot be written must not leave half a restore. */
function createFolderOf(configPath: string): void {
  const folder = dirname(resolve(configPath));
  try {
    mkdirSync(folder, { recursive: true, mode: folderMode });
  } catch (error) {
    throw new FailedError(`cannot create ${visible(folder, pathCharactersMax)}: ${explain(error, folder)}`);
  }
}

async function writeConfiguration({ repository, manifest, configPath, terminal }: NewMachine): Promise<void> {
  const configuration = (await explained(() => readConfiguration(repository.store, manifest))) ?? "";
  const file = resolve(configPath);
  // Only its owner can read it, because it may contain secrets.
  replaceFile(file, configuration);
  terminal.err.write(
    `wrote ${visible(configPath, pathCharactersMax)}; it is complete except for files and environment variables with secrets that it names: 'phishwatch check' lists what is missing\n`,
  );
}

async function restoreDatabaseFile(
  copy: string,
  configPath: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { storage } = await loadConfiguration(configPath, terminal.env);
  const path = requireFile(storage.path);
  requireOwnFolder(path);
  using _lock = takeServeLock(path);
  const at = systemClock.now();
  const by = actorOfShell(terminal.env);
  const { keptAs } = restoreFile({ copy, path, by, at, prepare: requestChecks });
  terminal.err.write(`restored ${path}\n`);
  if (keptAs !== undefined) terminal.err.write(`the database as it was is kept as ${keptAs}\n`);
}

function showAside(path: string, removes: boolean, terminal: Terminal): void {
  const aside = existsSync(path) ? listAside(path) : [];
  for (const { path: name, bytes } of aside) {
    if (removes) rmSync(name, { recursive: true, force: true });
    terminal.out.write(
      `${removes ? "deleted " : ""}${visible(name, pathCharactersMax)}  ${bytesText(bytes)}\n`,
    );
  }
  if (aside.length === 0) terminal.err.write("earlier restores kept nothing\n");
}
