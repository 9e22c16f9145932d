/** A command failed for the reason in the message: exit code 1. */
export class FailedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FailedError";
  }
}
