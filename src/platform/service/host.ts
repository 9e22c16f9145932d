import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError, undefinedIfMissing } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { serviceName, unitLink } from "./unit.ts";

/** The system that the service is installed on: this machine, or a folder that becomes the root of another one. */
export type Host = ReturnType<typeof openHost>;

export interface ServiceUser {
  uid: number;
  gid: number;
}

const outputCharactersMax = 2_000;

/**
 * @param options.root "/" for this machine
 * @throws StartError that says what to do if the service cannot be installed there
 */
export function openHost({ root, env }: { root: string; env: Env }) {
  requireLinux();
  const { run, tryRun } = createPrograms(env);
  const isLive = root === "/";
  if (!isLive && statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new StartError(`--root ${visible(root, 500)} is not a folder`);
  if (isLive && !existsSync("/run/systemd/system"))
    throw new StartError(
      "systemd does not run on this system; start 'phishwatch serve' with its own service manager (see 'phishwatch help service'), or prepare an image with --root DIR",
    );
  const at = (path: string) => (isLive ? path : pathInside(root, path));
  const prefix = isLive ? [] : ["--prefix", root];
  return {
    run,
    tryRun,
    /** Whether it is this machine, whose systemd runs. */
    isLive,

    /**
     * Returns where an absolute path of the system is on this machine.
     * @throws StartError if a link leads out of the folder
     */
    at,

    /** Returns the user of the service, or undefined if it does not exist. */
    findUser: () =>
      findUser(at("/etc/passwd"), isLive ? tryRun(["getent", "passwd", serviceName])?.out : undefined),
    createUser(homeFolder: string) {
      const group = findGroup(at("/etc/group")) ? ["--gid", serviceName] : ["--user-group"];
      const home = ["--home-dir", homeFolder, "--no-create-home", "--shell", "/usr/sbin/nologin"];
      run(["useradd", ...prefix, "--system", ...group, ...home, "--comment", "phishwatch", serviceName]);
    },
    removeUser: () => void run(["userdel", ...prefix, serviceName]),

    /**
     * Runs `systemctl`. Does nothing in a folder.
     * @throws StartError with its message if it fails
     */
    systemctl(...args: string[]) {
      if (isLive) run(["systemctl", ...args]);
    },
  };
}

/**
 * Returns a path below a folder that is the root of another system. A link there with an absolute target means a place
 * in that system, but would lead to this one.
 */
function pathInside(root: string, path: string): string {
  const real = realpathSync(root);
  const parts = path.split("/").filter((part) => part !== "");
  let found = root;
  for (const [index, part] of parts.entries()) {
    found = join(found, part);
    const entry = lstatSync(found, { throwIfNoEntry: false });
    if (entry === undefined) break;
    // The link that enables the unit is read, replaced and deleted, but never followed.
    const isFollowed = entry.isSymbolicLink() && !(path === unitLink && index === parts.length - 1);
    if (isFollowed && !realPathOrEmpty(found).startsWith(`${real}/`))
      throw new StartError(
        `${visible(found, 500)} is a link that leads out of ${visible(root, 500)}; make it a relative link, or replace it`,
      );
  }
  return join(root, path);
}

/** Returns "" for a link to nothing. */
function realPathOrEmpty(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return "";
  }
}

/** @throws StartError with what to do on this system */
function requireLinux(): void {
  if (process.platform === "linux") return;
  const manager = process.platform === "darwin" ? "launchd" : "the service manager of this system";
  throw new StartError(
    `this command installs a service of systemd on Linux; for ${manager}, see 'phishwatch help service'`,
  );
}

/** @throws StartError unless this process is run by root */
export function requireRoot(what: string): void {
  if (process.geteuid?.() === 0) return;
  throw new StartError(`only root can ${what}: run it with sudo, or see the steps with --dry-run`);
}

/** @param known entry of the system, which also knows users that are in no file, as from a directory service */
function findUser(file: string, known: string | undefined): ServiceUser | undefined {
  const lines = known ?? contentOf(file)?.toString() ?? "";
  const line = lines.split("\n").find((entry) => entry.startsWith(`${serviceName}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function findGroup(file: string): boolean {
  const groups = contentOf(file)?.toString() ?? "";
  return groups.split("\n").some((entry) => entry.startsWith(`${serviceName}:`));
}

type Command = [name: string, ...args: string[]];

type Env = Readonly<Record<string, string | undefined>>;

/** Returns functions that run programs of the system. */
function createPrograms(env: Env) {
  // Programs for root may be in a folder that is not in the PATH of an ordinary user.
  const path = `${env["PATH"] ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin`;

  /** Returns undefined if the program is missing. */
  function tryRun([name, ...args]: Command) {
    const program = Bun.which(name, { PATH: path });
    if (program === null) return undefined;
    const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args], {
      env: { ...env, PATH: path, LC_ALL: "C", SYSTEMD_PAGER: "" },
      stdin: "ignore",
    });
    return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
  }

  return {
    tryRun,

    /**
     * Runs a program and returns its standard output.
     * @throws StartError if it is missing or fails
     */
    run(command: Command) {
      const result = tryRun(command);
      if (result === undefined) throw new StartError(`${command[0]} was not found; install it`);
      if (result.code === 0) return result.out;
      const message = visible(result.err.trim().replaceAll("\n", "; "), outputCharactersMax);
      throw new StartError(`'${command.join(" ")}' failed with code ${result.code}: ${message}`);
    },
  };
}

/** Creates a folder of the system, with the folders above it, that every user may enter whatever the umask is. */
export function createFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) chmodSync(folder, 0o755);
}

/** Returns the content of a file, or undefined if it does not exist. */
export function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    return undefinedIfMissing(error);
  }
}
