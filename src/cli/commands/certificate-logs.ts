import type { CommandGroup } from "../terminal/command.ts";
import { readCommand } from "./certificate-logs-read.ts";

export const certificateLogsCommands: CommandGroup = {
  name: "certificate-logs",
  summary: "read the names in logs of certificates",
  commands: [readCommand],
};
