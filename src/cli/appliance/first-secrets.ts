import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";
import { firstAccountName } from "../../access/accounts/accounts.ts";
import type { FirstStart } from "../../access/console/first-start.ts";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";
import type { Output } from "../terminal/terminal.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

/** Added to the path of the database. */
const fileEnding = ".secrets.txt";
const readableByOwner = 0o600;
/** Another user who may write to the folder must not choose the file: no link is followed, no pipe is waited for. */
const openFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Creates the secrets of the first start, if this is the first start. Returns what to print once the server is ready: with
 * the secrets on a terminal; otherwise with the path of a file that contains them, because the output of a service is
 * usually kept in a log that others can read. Returns nothing after the first start.
 * @param options.print print the secrets in any case
 * @throws StartError if the file cannot be written; then no secret was stored
 */
export async function firstStartText(
  appliance: Pick<App, "firstStart">,
  config: Pick<Config, "console" | "storage">,
  url: string,
  { out, print }: { out: Pick<Output, "isTerminal">; print: boolean },
): Promise<string> {
  const { path } = config.storage;
  const consoleUrl = config.console.enabled ? url : null;
  const describe = ({ apiKey, consolePassword: password }: FirstStart) =>
    entryText({ consoleUrl, password, apiKey }) + usageText({ apiKey, url });
  // A database in memory has no folder, and its secrets are worthless after the end of the process.
  if (print || out.isTerminal || path === ":memory:") {
    const created = await appliance.firstStart();
    return hasSecrets(created) ? `\n${describe(created)}` : "";
  }
  const file = `${path}${fileEnding}`;
  const created = await appliance.firstStart((secrets) => append(file, describe(secrets)));
  return hasSecrets(created) ? `\n${entryText({ consoleUrl, file })}` : "";
}

function hasSecrets({ apiKey, consolePassword }: FirstStart): boolean {
  return apiKey !== undefined || consolePassword !== undefined;
}

/**
 * Returns lines that say where and as whom to sign in to the console.
 * @param entry.consoleUrl URL of the server; null if it has no console
 * @param entry.file contains the secrets, in place of them
 */
export function entryText(entry: {
  consoleUrl: string | null;
  password?: string | undefined;
  apiKey?: string | undefined;
  file?: string;
}): string {
  const lines = [
    ["Console", entry.consoleUrl === null ? "disabled in the configuration" : `${entry.consoleUrl}/console`],
    ["Account", firstAccountName],
    ["Password", entry.password],
    ["API key", entry.apiKey],
    ["Secrets", entry.file && `${entry.file} (delete the file after reading it)`],
  ];
  return lines
    .map(([label, value]) => (value === undefined ? "" : `${`${label}:`.padEnd(11)}${value}\n`))
    .join("");
}

function usageText({ apiKey, url }: { apiKey: string | undefined; url: string }): string {
  const once = "\nSecrets will not be shown again.";
  if (apiKey === undefined) return `${once}\n`;
  return `${once} Try the key:\n\n  curl -H 'Authorization: Bearer ${apiKey}' ${shellWord(`${url}/v1/threats`)}\n`;
}

/** Appends, because an earlier start may have left an unread secret. */
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
      { cause: error },
    );
  }
}

/** The owner of a file can read it in spite of its mode, and so can the owner of its other name. */
function requireOwnFile(descriptor: number): void {
  const status = fstatSync(descriptor);
  if (!status.isFile()) throw new Error("it is a pipe or device, not a file");
  if (status.uid !== process.geteuid?.()) throw new Error("it belongs to another user");
  if (status.nlink > 1) throw new Error("it has a second name (hard link)");
}
