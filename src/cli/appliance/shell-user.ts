import { userInfo } from "node:os";
import type { Actor } from "../../access/audit/actor.ts";
import { visible } from "../../lib/safe-text.ts";

const nameCharactersMax = 100;

/** Returns the user of the command line: under sudo the original user. */
export function actorOfShell(env: Readonly<Record<string, string | undefined>>): Actor {
  return {
    channel: "command_line",
    name: visible(env["SUDO_USER"] || accountName(), nameCharactersMax),
    address: null,
  };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user often has a number but no name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
