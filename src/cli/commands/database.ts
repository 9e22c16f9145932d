import type { CommandGroup } from "../terminal/command.ts";
import { compact } from "./database-compact.ts";
import { info } from "./database-info.ts";
import { repair } from "./database-repair.ts";

export const databaseCommands: CommandGroup = {
  name: "database",
  summary: "show what takes room in the database and how fast it grows, release free space, and repair it",
  commands: [info, compact, repair],
};
