import { renderBash } from "../completion/bash.ts";
import { renderFish } from "../completion/fish.ts";
import { renderManPage } from "../completion/man.ts";
import { modelOf } from "../completion/model.ts";
import { renderZsh } from "../completion/zsh.ts";
import { command, UsageError } from "../terminal/command.ts";

const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish };
const shells = Object.keys(renderers);

export const completionCommand = command({
  name: "completion",
  arguments: "<shell>",
  argumentChoices: shells,
  flags: {},
  async run({ args: [shell = ""], loadCommands, terminal: { out } }) {
    if (!isShell(shell))
      throw new UsageError(`the shell must be one of ${shells.join(", ")}, not "${shell.slice(0, 50)}"`);
    out.write(renderers[shell](modelOf(await loadCommands(), await loadTopics())));
  },
});

export const manCommand = command({
  name: "man",
  flags: {},
  async run({ loadCommands, terminal: { out } }) {
    const topics = await loadTopics();
    out.write(renderManPage(modelOf(await loadCommands(), topics), topics));
  },
});

function isShell(name: string): name is keyof typeof renderers {
  return Object.hasOwn(renderers, name);
}

async function loadTopics(): Promise<string[]> {
  const { manualPages } = await import("../../manual/manual.ts");
  return manualPages.map(({ topic }) => topic);
}
