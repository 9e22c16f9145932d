import { userInfo } from "node:os";
import type { Actor } from "../../access/audit/actor.ts";
import { visible } from "../../platform/lib/safe-text.ts";

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
  const number = `user ${process.getuid?.() ?? "unknown"}`;
  try {
    const { username } = userInfo();
    // Bun takes the name from USER, which containers and scheduled jobs often do not set, and else returns "unknown".
    return username === "unknown" ? number : username;
  } catch {
    // In a container, the user often has a number but no name.
    return number;
  }
}
