import type { CommandGroup } from "../terminal/command.ts";
import { readCommand } from "./certificate-logs-read.ts";
import { listCommand, statusCommand } from "./certificate-logs-status.ts";
import { tailCommand } from "./certificate-logs-tail.ts";

export const certificateLogsCommands: CommandGroup = {
  name: "certificate-logs",
  summary: "show the certificate logs, and read their names",
  commands: [listCommand, statusCommand, tailCommand, readCommand],
};
