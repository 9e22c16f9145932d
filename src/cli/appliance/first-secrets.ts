import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { FirstStart } from "../../access/console/first-start.ts";
import type { App } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { messageOf, StartError } from "../../lib/errors.ts";
import type { Output } from "../terminal/terminal.ts";

/** Added to the path of the database. */
const fileEnding = ".secrets.txt";
const readableByOwner = 0o600;
/** Another user who may write to the folder must not choose the file: no link is followed, no pipe is waited for. */
const openFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Creates the secrets of the first start, if this is the first start. Prints them on a terminal; otherwise writes them
 * to a file and prints its path, because the output of a service is usually kept in a log that others can read.
 * @param call.print print the secrets in any case
 * @throws StartError if the file cannot be written; then no secret was stored
 */
export async function announceFirstStart({
  appliance,
  config: {
    storage: { path },
  },
  out,
  url,
  print,
}: {
  appliance: Pick<App, "firstStart">;
  config: Pick<Config, "storage">;
  out: Output;
  url: string;
  print: boolean;
}): Promise<void> {
  // A database in memory has no folder, and its secrets are worthless after the end of the process.
  if (print || out.isTerminal || path === ":memory:") {
    const created = await appliance.firstStart();
    if (hasSecrets(created)) out.write(`\n${describe(created, url)}\n`);
  } else {
    const file = `${path}${fileEnding}`;
    const created = await appliance.firstStart((secrets) => append(file, describe(secrets, url)));
    if (hasSecrets(created))
      out.write(`secrets of the first start: ${file} (delete the file after reading it)\n`);
  }
  out.flush();
}

function hasSecrets({ apiKey, consolePassword }: FirstStart): boolean {
  return apiKey !== undefined || consolePassword !== undefined;
}

function describe({ apiKey, consolePassword }: FirstStart, url: string): string {
  const parts: string[] = [];
  if (apiKey !== undefined)
    parts.push(
      `API key (will not be shown again):\n\n  ${apiKey}\n\nTry it:\n\n  curl -H 'Authorization: Bearer ${apiKey}' ${url}/v1/threats\n`,
    );
  if (consolePassword !== undefined)
    parts.push(`Console password (will not be shown again):\n\n  ${consolePassword}\n`);
  return parts.join("\n");
}

/** Appends, because an earlier start may have left a secret that nobody has read yet. */
function append(file: string, text: string): void {
  try {
    const descriptor = openSync(file, openFlags, readableByOwner);
    try {
      requireOwnFile(descriptor);
      fchmodSync(descriptor, readableByOwner);
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new StartError(
      `cannot write the secrets of the first start to ${file}: ${messageOf(error)}; delete the file, make its folder writable, or use --print-secrets`,
      { exitCode: 1, cause: error },
    );
  }
}

/** The owner of a file can read it, whatever its mode; so can the owner of its other name. */
function requireOwnFile(descriptor: number): void {
  const status = fstatSync(descriptor);
  if (!status.isFile()) throw new Error("it is a pipe or device, not a file");
  if (status.uid !== process.geteuid?.()) throw new Error("it belongs to another user");
  if (status.nlink > 1) throw new Error("it has a second name (hard link)");
}
