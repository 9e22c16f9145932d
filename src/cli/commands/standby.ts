import type { CommandGroup } from "../terminal/command.ts";
import { followCommand } from "./standby-follow.ts";
import { promoteCommand } from "./standby-promote.ts";
import { statusCommand } from "./standby-status.ts";

export const standbyCommands: CommandGroup = {
  name: "standby",
  summary: "follow the backups of a primary on a second machine, and replace it",
  commands: [followCommand, statusCommand, promoteCommand],
  unnamed: "follow",
};
