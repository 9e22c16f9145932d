import type { App } from "../../app/app.ts";
import { blockListFormats } from "../../platform/vocabulary/lists.ts";
import { listAddress, type List } from "../../response/outputs/block-lists/list.ts";
import { listPresentation } from "../../response/outputs/block-lists/presentation.ts";
import { appCommand } from "../appliance/app-command.ts";
import { entryCommand, entryCommands, printCreated, type Created } from "../entries/entry-commands.ts";
import { fieldFlags, readFields } from "../entries/entry-fields.ts";
import { choice, jsonFlag, text } from "../terminal/flags.ts";
import { replaceFile } from "../terminal/replace-file.ts";

const { fields } = listPresentation;

function addressesOf(list: List, { server }: App): [format: string, address: string][] {
  return blockListFormats.map((format) => [format, listAddress(list, format, server.publicUrl)]);
}

function withAddress(list: List, { app }: { app: App }): Created<List> {
  const addresses = addressesOf(list, app);
  return { entry: list, print: addresses[0]![1], json: { addresses: Object.fromEntries(addresses) } };
}

const rotateFlags = { ...fieldFlags(fields, "rotate"), json: jsonFlag };
const rotate = entryCommand(listPresentation, "rotate", rotateFlags, async (call) => {
  const { app, by, key, options } = call;
  const rotated = app.lists.rotate(key, { ...(await readFields(fields, "rotate", { options })), by });
  const note = `${rotated.name} has a new token; its old addresses return 404`;
  printCreated(listPresentation, { ...withAddress(rotated, call), note }, call);
});

const exportCommand = appCommand({
  name: "export",
  arguments: "<list>",
  flags: {
    format: choice("--format <format>", blockListFormats, "txt"),
    output: text("--output <file>"),
  },
  async run({ app: { lists }, args: [key = ""], options, terminal }) {
    const found = lists.get(key);
    const bytes = await (await lists.file(found, options.format)).bytes();
    if (options.output === undefined) return void terminal.out.write(Buffer.from(bytes).toString("latin1"));
    const changed = await replaceFile(options.output, bytes);
    terminal.out.write(`${changed ? "changed" : "unchanged"}\n`);
  },
});

export const blockListCommands = entryCommands(listPresentation, {
  created: withAddress,
  instead: { rotate },
  more: [exportCommand],
  async shown(list, { app }) {
    // Stores the digest of the present content, and the number of its names.
    await app.lists.content(list);
    const addresses = addressesOf(list, app);
    return { facts: addresses, json: { addresses: Object.fromEntries(addresses) } };
  },
});
