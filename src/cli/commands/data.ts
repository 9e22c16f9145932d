import type { CommandGroup } from "../terminal/command.ts";
import { dataKeyCommand, dataMakeCommand } from "./data-make.ts";
import { dataRemoveCommand, dataShowCommand, dataUpdateCommand } from "./data-update.ts";

export const dataCommands: CommandGroup = {
  name: "data",
  summary: "show and update the lists that the program contains, without internet access",
  commands: [dataShowCommand, dataUpdateCommand, dataRemoveCommand, dataMakeCommand, dataKeyCommand],
};
