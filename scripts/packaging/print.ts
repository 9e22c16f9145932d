import { buildDefinitions, readSource, root } from "./source.ts";

/** Returns what phishwatch prints. Runs it from its source: the executable may be for another platform. */
export async function print(words: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...buildDefinitions(readSource()), "src/main.ts", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`phishwatch ${words.join(" ")} failed`);
  return text;
}
