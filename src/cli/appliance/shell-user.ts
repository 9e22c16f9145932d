import { userInfo } from "node:os";
import type { Actor } from "../../access/audit/actor.ts";
import { visible } from "../../lib/safe-text.ts";

const nameCharactersMax = 100;

/** Who works on the command line: with sudo the person, not the account that the person became. */
export function actorOfShell(env: Readonly<Record<string, string | undefined>>): Actor {
  return {
    channel: "command_line",
    name: visible(env["SUDO_USER"] || ownName(), nameCharactersMax),
    address: null,
  };
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user often has a number and no name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
