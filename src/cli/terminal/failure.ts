/** The command could not do what it was told; the message says why. Exit code 1. */
export class FailedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FailedError";
  }
}
