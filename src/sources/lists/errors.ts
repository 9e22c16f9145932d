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
