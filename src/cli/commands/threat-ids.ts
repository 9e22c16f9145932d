import { UsageError } from "../terminal/command.ts";

const idsMax = 100_000;

/** Returns the ids of the arguments; "-" stands for those on standard input. */
export async function readIds(args: readonly string[]): Promise<string[]> {
  const ids = args.filter((id) => id !== "-");
  if (args.includes("-")) ids.push(...(await Bun.stdin.text()).split(/\s+/).filter((id) => id !== ""));
  if (ids.length > idsMax) throw new UsageError(`${ids.length} ids are given; the maximum is ${idsMax}`);
  return ids;
}
