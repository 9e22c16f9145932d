import type { Log } from "../lib/log.ts";
import { readFileSync, readlinkSync, statSync, type Stats } from "node:fs";
import { basename } from "node:path";
import { visible } from "../lib/safe-text.ts";

/** A time in which another process holds the write lock and no write succeeds. */
export interface LockIncident {
  /** Duration so far. */
  heldMs: number;
  /** Undefined if it is not known. */
  holder: LockHolder | undefined;
}

/** Also the time after which a write is rejected. */
export const reportAfterMs = 1_000;
/** Far more than a transaction takes, and far less than a request waits. */
const resumeAfterMs = 200;
/** Pause between two attempts to resume the holder, and between two lookups of who it is. */
const lookupIntervalMs = 1_000;

/** Code in the log. */
export const lockedCode = "database_locked";

/**
 * Observes failed and successful attempts to take the write lock, and reports when it is held for long.
 * @param log undefined: incidents are only counted, as in a command, which reports its own errors
 */
export function createLockWatch({ path, log }: { path: string; log: Log | undefined }) {
  let since: number | undefined;
  let holder: LockHolder | undefined;
  let lookedUpAt = -Infinity;
  let reported = false;

  const heldMs = () => (since === undefined ? 0 : Math.round(performance.now() - since));

  function lookUp(): void {
    if (performance.now() - lookedUpAt < lookupIntervalMs) return;
    lookedUpAt = performance.now();
    holder = findLockHolder(path) ?? holder;
    if (log === undefined || holder === undefined || !resumeHolder(holder)) return;
    log.event("database.holder_resumed", { pid: holder.pid, command: holder.command });
  }

  return {
    /**
     * An attempt failed.
     * @param options.rejects whether a write was rejected, which is always reported
     */
    failed({ rejects }: { rejects: boolean }) {
      since ??= performance.now();
      if (!rejects && heldMs() < resumeAfterMs) return;
      lookUp();
      if (reported || (!rejects && heldMs() < reportAfterMs)) return;
      reported = true;
      log?.event("database.locked", {
        code: lockedCode,
        pid: holder?.pid,
        command: holder?.command,
        heldMs: heldMs(),
        reason: describeHolder(holder),
      });
    },

    /** An attempt succeeded. */
    succeeded() {
      if (since === undefined) return;
      if (reported)
        log?.event("database.unlocked", {
          code: lockedCode,
          pid: holder?.pid,
          command: holder?.command,
          heldMs: heldMs(),
        });
      since = undefined;
      holder = undefined;
      reported = false;
      lookedUpAt = -Infinity;
    },

    /** Returns the time of the first attempt (by `performance.now`) from which on all have failed. */
    lockedSince: () => since,

    /** Returns the present incident, once it was reported. */
    incident: (): LockIncident | undefined => (reported ? { heldMs: heldMs(), holder } : undefined),
  };
}

function describeHolder(holder: LockHolder | undefined): string {
  return holder?.suspended === true
    ? "database write lock held by a suspended process; resume or stop it"
    : "database write lock held by another process; writes fail until it is released";
}

/** Another process that holds a lock. */
export type LockHolder = ReturnType<typeof describeProcess>;

/** Position of the write lock in the shared memory file: https://www.sqlite.org/walformat.html §2.3.1. */
const writeLockByte = 120;
const commandCharactersMax = 40;
/** Words of a command line among which the command is searched: runtime, script, command, subcommand. */
const wordsMax = 4;

/**
 * Finds the process that holds the write lock of the database at `path`, on Linux. Undefined where it is not known:
 * on another system, in another container, or if the lock has just been released.
 */
export const findLockHolder = (path: string): LockHolder | undefined =>
  findHolder(`${path}-shm`, pidOfWriteLock);

/** Finds a process that holds any lock on a file, on Linux. Undefined where it is not known. */
export const findFileHolder = (file: string): LockHolder | undefined =>
  findHolder(file, (locks, status) => pidOfLock(locks, status, () => true));

function findHolder(file: string, pidIn: typeof pidOfWriteLock): LockHolder | undefined {
  try {
    const pid = pidIn(readFileSync("/proc/locks", "utf8"), statSync(file));
    return pid === undefined ? undefined : describeProcess(pid);
  } catch {
    // No /proc, or the process has just ended.
    return undefined;
  }
}

/**
 * Returns the process with a write lock on byte 120 of a file.
 * @param locks content of /proc/locks, with lines such as `1: POSIX  ADVISORY  WRITE 812 fe:00:2310150 120 120`
 */
export const pidOfWriteLock = (locks: string, file: FileNumbers): number | undefined =>
  pidOfLock(locks, file, ({ kind, start, end }) => {
    const reachesByte = Number(start) <= writeLockByte && (end === "EOF" || Number(end) >= writeLockByte);
    return kind === "WRITE" && reachesByte;
  });

type FileNumbers = Pick<Stats, "dev" | "ino">;

function pidOfLock(locks: string, file: FileNumbers, isMeant: (lock: LockFields) => boolean) {
  const rows = locks.split("\n").flatMap((line) => {
    const lock = lockPattern.exec(line)?.groups as LockFields | undefined;
    if (lock === undefined || Number(lock.inode) !== file.ino || Number(lock.pid) <= 0 || !isMeant(lock))
      return [];
    const device = `${Number.parseInt(lock.major, 16)}:${Number.parseInt(lock.minor, 16)}`;
    return [{ pid: Number(lock.pid), device }];
  });
  // Layered file systems report another device here than in the file's status.
  const sameDevice = rows.find(({ device }) => device === deviceOf(file.dev));
  return (sameDevice ?? rows[0])?.pid;
}

type LockFields = Record<"kind" | "pid" | "major" | "minor" | "inode" | "start" | "end", string>;

const lockPattern =
  /^\d+: (?:POSIX|OFDLCK)\s+ADVISORY\s+(?<kind>READ|WRITE)\s+(?<pid>-?\d+)\s+(?<major>[0-9a-f]+):(?<minor>[0-9a-f]+):(?<inode>\d+)\s+(?<start>\d+)\s+(?<end>\d+|EOF)\s*$/;

/** Splits Linux' encoding of a device number for user space: 12 bits of the major, 20 of the minor number. */
function deviceOf(dev: number): string {
  const number = BigInt(dev);
  const major = (number >> 8n) & 0xfffn;
  const minor = (number & 0xffn) | ((number >> 12n) & 0xfff00n);
  return `${major}:${minor}`;
}

function describeProcess(pid: number) {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, wordsMax);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const ours = isSameExecutable(pid);
  return {
    pid,
    /** Name of the program, and of the command if it is phishwatch itself. Never further arguments. */
    command: commandOf(words, ours),
    /** Whether the process is suspended (Ctrl-Z, SIGSTOP), so it cannot release the lock. */
    suspended: /^State:\s+[Tt]/m.test(status),
    /** Whether it runs the same executable and handles `SIGUSR2`, so that `resumeHolder` is safe. */
    cooperates: ours && pid !== process.pid && handles(status, sigusr2),
  };
}

/** Returns a text that contains no secret: arguments of other programs, and options of our own, are left out. */
export function commandOf(words: readonly string[], ours: boolean): string {
  const [program = "", ...rest] = words;
  const isScript = (word: string) => /[/.]/.test(word);
  // Run from source, the program is the runtime and its first argument the script.
  const command = ours ? rest.find((word) => !isScript(word)) : undefined;
  const known = command !== undefined && /^[a-z][a-z-]{0,30}$/.test(command);
  const name = ours ? "phishwatch" : basename(program.split(" ")[0] ?? "");
  return visible(known ? `${name} ${command}` : name || "unknown", commandCharactersMax);
}

/** Whether another process runs the executable that this one runs. */
function isSameExecutable(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === readlinkSync("/proc/self/exe");
  } catch {
    // Another user's process.
    return false;
  }
}

const sigusr2 = 12;

/** Returns whether a process has a handler for a signal: without one, the signal would end it. */
function handles(status: string, signal: number): boolean {
  const mask = /^SigCgt:\s+([0-9a-f]+)/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & (1n << BigInt(signal - 1))) !== 0n;
}

/**
 * Lets a suspended phishwatch command finish its transaction: it runs on, and suspends itself again when it holds no
 * lock (`suspendWithoutLock`). Returns whether the signals were sent.
 */
function resumeHolder({ pid, suspended, cooperates }: LockHolder): boolean {
  if (!suspended || !cooperates) return false;
  try {
    // In this order: the process runs the handler first thing after its transaction.
    process.kill(pid, "SIGUSR2");
    process.kill(pid, "SIGCONT");
    return true;
  } catch {
    // Another user's process, or it has just ended.
    return false;
  }
}

/**
 * Makes a command hold no lock while it is suspended. Signal handlers run between transactions, so Ctrl-Z takes
 * effect after the current one. SIGSTOP and a freeze cannot be caught; the server then calls `resumeHolder`.
 */
export function suspendWithoutLock(): void {
  const suspend = () => void process.kill(process.pid, "SIGSTOP");
  process.on("SIGTSTP", suspend);
  process.on("SIGUSR2", suspend);
}
