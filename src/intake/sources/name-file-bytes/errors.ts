/** A list of names that cannot be read, or not to its end. The message names the file and the problem. */
export class NameListError extends Error {
  readonly path: string;
  /** The problem, as words that follow the file's name. */
  readonly problem: string;

  constructor(path: string, problem: string, options: { line?: number; cause?: unknown } = {}) {
    const where = options.line === undefined ? "" : ` (read up to line ${options.line})`;
    super(`${path === "-" ? "standard input" : path} ${problem}${where}`, { cause: options.cause });
    this.name = "NameListError";
    this.path = path;
    this.problem = problem;
  }
}

/** Returns why a file cannot be opened, as words that follow its name. */
export function openProblem(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  return `cannot be opened (${code ?? String(error)})`;
}
