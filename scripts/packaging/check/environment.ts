/** A place in which one artifact of a release runs. */
export interface Environment {
  /** Name of the artifact, and how it runs. */
  title: string;
  /**
   * Returns the command that runs phishwatch with these arguments. The process that it starts receives the signals
   * for phishwatch.
   */
  command(words: readonly string[]): string[];
  /** Folder for a new configuration and its database, as phishwatch sees it. Null: it finds a configuration itself. */
  folder: string | null;
  /** Removes what the environment consists of. */
  dispose(): void;
}

/** The reason for which an artifact cannot be run on this machine. */
export class NotRunnable extends Error {}

/** Checks that programs are installed. @throws NotRunnable with the packages of Debian that provide the missing ones */
export function requirePrograms(programs: Record<string, string>): void {
  const missing = Object.keys(programs).filter((name) => Bun.which(name) === null);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((name) => programs[name]!))];
  throw new NotRunnable(`${missing.join(", ")} missing (apt-get install ${packages.join(" ")})`);
}

/** Runs a command to its end. @throws with its output if it fails */
export function run(command: string[], { input }: { input?: string } = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    stdin: input === undefined ? "ignore" : Buffer.from(input),
  });
  if (exitCode !== 0) {
    throw new Error(`${command.join(" ")} exited with code ${exitCode}: ${stdout}${stderr}`);
  }
  return stdout.toString();
}
