/** A list of names that cannot be read, or not to its end. The message names the file and what is wrong with it. */
export class NameListError extends Error {
  readonly path: string;
  /** What is wrong, to be put after the file's name. */
  readonly fault: string;

  constructor(path: string, fault: string, options: { line?: number; cause?: unknown } = {}) {
    const where = options.line === undefined ? "" : ` (read as far as line ${options.line})`;
    super(`${path === "-" ? "standard input" : path} ${fault}${where}`, { cause: options.cause });
    this.name = "NameListError";
    this.path = path;
    this.fault = fault;
  }
}
