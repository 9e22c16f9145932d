import { normalizeName } from "../../detection/names/name.ts";
import { permutations } from "../../detection/generate/permutations.ts";
import { visible } from "../../lib/safe-text.ts";
import { command, UsageError } from "../terminal/command.ts";
import { jsonFlag, number } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

export const permutationsCommand = command({
  name: "permutations",
  arguments: "<domain>",
  summary: "print names that somebody would register to imitate a domain",
  details:
    "A line for each name: name, type and similarity, with tabs between. The types take turns, each with its most " +
    "alike name first.",
  flags: {
    limit: number(
      "--limit <count>",
      { minimum: 1, maximum: 10_000_000, whole: true },
      "print so many at most, and make hardly more: quick with some tens",
      undefined,
    ),
    minSimilarity: number(
      "--min-similarity <number>",
      { minimum: 0, maximum: 1, whole: false },
      "leave out what is less alike",
      0.75,
    ),
    json: jsonFlag,
  },
  examples: [
    ["phishwatch permutations example.com --limit 20", "the twenty most alike"],
    ["phishwatch permutations example.com | cut -f1", "the names only"],
  ],
  async run({ args, options, terminal: { out } }) {
    const [given = ""] = args;
    const normalized = normalizeName(given);
    if ("error" in normalized)
      throw new UsageError(`"${visible(given, 100)}" is not a domain name: ${normalized.error}`);
    const { limit, minSimilarity } = options;
    const protectedName = { domain: normalized.name, keywords: [], allow: [] };
    for (const one of permutations(protectedName, { minSimilarity, limit })) {
      const { name, type, similarity } = one;
      if (options.json) printJson(out, { domain: name, type, similarity });
      else out.write(`${name}\t${type}\t${similarity}\n`);
    }
  },
});
