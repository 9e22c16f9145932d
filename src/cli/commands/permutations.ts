import { permutations } from "../../engines/detection/generate/permutations.ts";
import { wordWarnings } from "../../engines/detection/brand/word-warnings.ts";
import { readPastedName } from "../../engines/detection/names/pasted-name.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { command, UsageError } from "../terminal/command.ts";
import { jsonFlag, number } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

export const permutationsCommand = command({
  name: "permutations",
  arguments: "<domain>",
  flags: {
    limit: number("--limit <count>", { minimum: 1, maximum: 10_000_000, whole: true }),
    minSimilarity: number("--min-similarity <number>", { minimum: 0, maximum: 1, whole: false }, 0.75),
    json: jsonFlag,
  },
  async run({ args, options, terminal: { out, err } }) {
    const [given = ""] = args;
    const normalized = readPastedName(given);
    if ("error" in normalized)
      throw new UsageError(`"${visible(given, 100)}" is not a domain name: it ${normalized.error}`);
    const { limit, minSimilarity } = options;
    const protectedName = { domain: normalized.name, keywords: [], allow: [] };
    let count = 0;
    for (const one of permutations(protectedName, { minSimilarity, limit })) {
      const { name, type, similarity } = one;
      count++;
      if (options.json) printJson(out, { domain: name, type, similarity });
      else out.write(`${name}\t${type}\t${similarity}\n`);
    }
    if (count > 0) return;
    const unused = wordWarnings(protectedName).find(({ strictness }) => strictness === "unused");
    const reason =
      unused === undefined
        ? `no generated name has a similarity of at least ${minSimilarity}`
        : `${unused.reason}; ${unused.effect}`;
    err.write(`no look-alikes of ${normalized.name}: ${reason}\n`);
  },
});
