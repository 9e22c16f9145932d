/** Properties of the machine that decide whether a browser can be run. */
export const machine = {
  isRoot: process.getuid?.() === 0,
  /** Finds a program on the PATH. */
  which: (name: string): string | null => Bun.which(name),
};
