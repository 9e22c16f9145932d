import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { renderExample } from "../config/render.ts";
import { messageOf, StartError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { replaceFile } from "../lib/disk.ts";
import { contentOf, createFolder, type Host } from "./host.ts";
import {
  configFile,
  configFolder,
  credentialsFolder,
  installedExecutable,
  isUnitPath,
  renderUnit,
  serviceName,
  stateFolder,
  unitFile,
  unitLink,
} from "./unit.ts";
import { shellWord } from "../lib/shell-word.ts";

/** One change of the system. */
export interface Step {
  /** In the imperative: `create the user phishwatch`. */
  text: string;
  apply(): void;
}

const root = { uid: 0, gid: 0 };
/** Executables below these folders stay where they are: a package or an administrator put them there. */
const executableFolders = ["/usr/", "/opt/"];
const logLinesShown = 6;

/**
 * Returns the steps that are missing until the service is installed and runs; none if it does already.
 * @param options.executable path of the running executable
 * @param options.force replace a unit that somebody else wrote or changed
 * @throws StartError if the unit was not written by `service install` and `force` is not set
 */
export function planInstallation(
  host: Host,
  { executable, force }: { executable: string; force: boolean },
): Step[] {
  const target = placeOf(executable, host);
  const group = () => groupOf(host);
  const missing = [
    target === executable && host.isLive ? undefined : copyExecutable(host, executable, target),
    createUser(host),
    // A restore may have created the folder for root.
    createFolderFor(host, configFolder, 0o750, group) ?? letGroup(host, { path: configFolder, may: "enter" }),
    createFolderFor(host, credentialsFolder, 0o700, () => 0),
    createConfiguration(host) ?? letGroup(host, { path: configFile, may: "read" }),
    writeUnit(host, { target, copied: target === installedExecutable, force }),
  ];
  const steps = missing.filter((step) => step !== undefined);
  return [...steps, ...start(host, steps)];
}

/** Returns where the executable belongs on the system. */
function placeOf(executable: string, { isLive }: Host): string {
  const stays = isLive && executableFolders.some((folder) => executable.startsWith(folder));
  if (!stays) return installedExecutable;
  if (!isUnitPath(executable))
    throw new StartError(
      `the unit cannot start ${visible(executable, 500)}: move it to a path of letters, digits and . _ + - /`,
    );
  if ((statSync(executable).mode & 0o005) !== 0o005)
    throw new StartError(
      `the user of the service cannot run ${executable}: run chmod 755 ${shellWord(executable)}`,
    );
  return executable;
}

/** A change that is missing; undefined if the system has it. */
type MissingStep = Step | undefined;

function copyExecutable({ at }: Host, executable: string, target: string): MissingStep {
  const path = at(target);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === statSync(executable).size && contentOf(path)!.equals(contentOf(executable)!)) return undefined;
  return {
    text: `${size === undefined ? "copy the executable to" : "replace the executable"} ${target}`,
    apply() {
      createFolder(dirname(path));
      replaceFile(path, contentOf(executable)!, { owner: root, mode: 0o755 });
    },
  };
}

function createUser(host: Host): MissingStep {
  if (host.findUser() !== undefined) return undefined;
  return { text: `create the user ${serviceName}`, apply: () => host.createUser(stateFolder) };
}

function createFolderFor({ at }: Host, path: string, mode: number, gid: () => number): MissingStep {
  if (existsSync(at(path))) return undefined;
  return {
    text: `create the folder ${path}`,
    apply() {
      createFolder(at(path));
      chownSync(at(path), 0, gid());
      chmodSync(at(path), mode);
    },
  };
}

function createConfiguration(host: Host): MissingStep {
  const path = host.at(configFile);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return undefined;
  return {
    text: `write the configuration ${configFile}`,
    apply() {
      replaceFile(path, serviceConfiguration(), { owner: { uid: 0, gid: groupOf(host) }, mode: 0o640 });
    },
  };
}

/** Bits of a mode that let others, or the group eight times as many, use a file or a folder. */
const accessBits = { read: 0o004, enter: 0o005 } as const;

/** Lets the group of the service use what exists, unless the service already may. */
function letGroup(host: Host, { path, may }: { path: string; may: keyof typeof accessBits }): MissingStep {
  const present = statSync(host.at(path));
  const forOthers = accessBits[may];
  const forGroup = forOthers << 3;
  const user = host.findUser();
  const isAllowed =
    (present.mode & forOthers) === forOthers ||
    (present.gid === user?.gid && (present.mode & forGroup) === forGroup) ||
    present.uid === user?.uid;
  if (isAllowed) return undefined;
  return {
    text: `let the group ${serviceName} ${may} ${path}`,
    apply() {
      requireNoForeignLink(host.at(path));
      chownSync(host.at(path), present.uid, groupOf(host));
      chmodSync(host.at(path), (present.mode & 0o777) | forGroup);
    },
  };
}

/** In a folder of root, a link is the choice of an administrator. In another one, it may lead to any file of root. */
function requireNoForeignLink(path: string): void {
  if (!lstatSync(path).isSymbolicLink() || lstatSync(dirname(path)).uid === 0) return;
  throw new StartError(`${path} is a link in a folder that does not belong to root: replace it with a file`);
}

/** Returns the example configuration with the database and the backups in the state folder. */
export function serviceConfiguration(): string {
  const example = renderExample();
  const placed = example.replace(/^path = ".*?"/m, `path = "${stateFolder}/phishwatch.db"`);
  const text = placed.replace(/^folder = "backups"/m, `folder = "${stateFolder}/backups"`);
  if (placed === example || text === placed) throw new Error("the example configuration has no such paths");
  return text;
}

function groupOf(host: Host): number {
  const user = host.findUser();
  if (user === undefined) throw new StartError(`the user ${serviceName} was not found`);
  return user.gid;
}

/** Marks a unit that `service install` wrote. systemd ignores sections whose names start with X-. */
const markerForm = /\n\[X-Phishwatch\]\nCopiedExecutable=(yes|no)\nChecksum=([0-9a-f]{64})\n$/;

/** Returns the marker of a unit, or undefined if `service install` did not write it, or somebody changed it. */
function readMarker(unit: string): { copiedExecutable: boolean } | undefined {
  const match = markerForm.exec(unit);
  if (match === null || checksumOf(unit.slice(0, match.index)) !== match[2]) return undefined;
  return { copiedExecutable: match[1] === "yes" };
}

function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function writeUnit(
  { at }: Host,
  { target, copied, force }: { target: string; copied: boolean; force: boolean },
): MissingStep {
  const unit = renderUnit({ executable: target });
  const marker = `[X-Phishwatch]\nCopiedExecutable=${copied ? "yes" : "no"}\nChecksum=${checksumOf(unit)}\n`;
  const text = `${unit}\n${marker}`;
  const present = contentOf(at(unitFile))?.toString();
  if (present === text) return undefined;
  if (present !== undefined && readMarker(present) === undefined && !force)
    throw new StartError(
      `${unitFile} was written or changed by somebody else; keep your changes with 'systemctl edit ${serviceName}', then replace it with --force`,
    );
  return {
    text: `${present === undefined ? "write" : "replace"} the unit ${unitFile}`,
    apply() {
      createFolder(dirname(at(unitFile)));
      replaceFile(at(unitFile), text, { owner: root, mode: 0o644 });
    },
  };
}

/** @param changes the steps before */
function start(host: Host, changes: readonly Step[]): Step[] {
  const link = host.at(unitLink);
  const steps: Step[] = [];
  if (!isLink(link))
    steps.push({
      text: "enable the service, so that it starts with the system",
      apply() {
        createFolder(dirname(link));
        rmSync(link, { force: true });
        symlinkSync(unitFile, link);
      },
    });
  if (!host.isLive) return steps;
  const isActive = host.tryRun(["systemctl", "is-active", "--quiet", serviceName])?.code === 0;
  if (isActive && changes.length === 0 && steps.length === 0) return [];
  const verb = isActive ? "restart" : "start";
  steps.push({
    text: `${verb} the service, and wait until it is ready`,
    apply() {
      host.systemctl("daemon-reload");
      host.systemctl("reset-failed", serviceName);
      startService(host, verb);
    },
  });
  return steps;
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) === unitFile;
  } catch {
    return false;
  }
}

function startService({ systemctl, tryRun }: Host, verb: "restart" | "start"): void {
  try {
    systemctl(verb, serviceName);
  } catch (error) {
    // Its own lines, without lines of systemd.
    const shown = [`--lines=${logLinesShown}`, "--output=cat", "--no-pager"];
    const log = tryRun(["journalctl", "-t", serviceName, ...shown]);
    const lines = log === undefined ? messageOf(error) : `its log ends with:\n${log.out.trimEnd()}`;
    throw new StartError(`the service did not ${verb}; ${lines}`, { cause: error });
  }
}

/**
 * Returns the steps that remove what `service install` made. Data, configuration and the user stay, unless they are
 * purged.
 * @throws StartError if somebody else wrote the unit and `force` is not set
 */
export function planRemoval(host: Host, { purge, force }: { purge: boolean; force: boolean }): Step[] {
  const { at } = host;
  const unit = contentOf(at(unitFile))?.toString();
  const marker = unit === undefined ? undefined : readMarker(unit);
  if (unit !== undefined && marker === undefined && !force)
    throw new StartError(
      `${unitFile} was written or changed by somebody else; remove it in any case with --force`,
    );
  const steps: Step[] = [];
  const remove = (path: string, what: string) => {
    if (existsSync(at(path)))
      steps.push({
        text: `delete ${what} ${path}`,
        apply: () => rmSync(at(path), { recursive: true, force: true }),
      });
  };
  if (unit !== undefined)
    steps.push({
      text: "stop and disable the service",
      apply() {
        host.systemctl("stop", serviceName);
        rmSync(at(unitLink), { force: true });
        rmSync(at(unitFile), { force: true });
        host.systemctl("daemon-reload");
      },
    });
  if (marker?.copiedExecutable === true) remove(installedExecutable, "the executable");
  if (!purge) return steps;
  remove(`${unitFile}.d`, "the drop-ins");
  remove(stateFolder, "the database, backups, screenshots and archive");
  remove(configFolder, "the configuration and the credentials");
  if (host.findUser() !== undefined)
    steps.push({ text: `delete the user ${serviceName}`, apply: () => host.removeUser() });
  return steps;
}
