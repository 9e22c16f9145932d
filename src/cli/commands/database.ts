import type { CommandGroup } from "../terminal/command.ts";
import { compact } from "./database-compact.ts";
import { info } from "./database-info.ts";

export const databaseCommands: CommandGroup = {
  name: "database",
  summary: "show what takes room in the database and how fast it grows, and release free space",
  commands: [info, compact],
};
