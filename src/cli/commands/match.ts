import { createMatcher } from "../../engines/detection/match/matcher.ts";
import { describeReason } from "../../engines/detection/match/reasons.ts";
import { displayName } from "../../engines/detection/names/name.ts";
import { readPastedName } from "../../engines/detection/names/pasted-name.ts";
import { reasonOfRule } from "../../engines/detection/score/rules.ts";
import type { NameMatch, ProtectedName } from "../../engines/detection/types.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { grouped } from "../../platform/lib/wording.ts";
import { invalidShownMax, type InvalidName } from "../../intake/sources/tally.ts";
import { readListedEntry, type Entry } from "../../intake/sources/entries/entry.ts";
import { createInterpretations } from "../../intake/sources/entries/interpretation.ts";
import { openNameList } from "../../intake/sources/name-files/name-list.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, number, texts, toggle } from "../terminal/flags.ts";
import { createProgress, percentage } from "../terminal/progress.ts";
import { printJson } from "../terminal/table.ts";
import type { Output } from "../terminal/terminal.ts";
import {
  listDetails,
  listFlags,
  readPaths,
  reportInterpreted,
  reportInvalid,
  shownPath,
  sizeOf,
  tuneRuntime,
} from "./lists.ts";

/** Maximum number of lines of a list for which `--explain` prints how they were read. */
const interpretedMax = 100;

export const matchCommand = command({
  name: "match",
  arguments: "[file...]",
  details: `Reads names from files or standard input and prints one line for each name and protected domain that match,
separated by tabs: name, protected domain, type and similarity. Records nothing and needs no database.

${listDetails}`,
  flags: {
    protect: texts("--protect <domain>"),
    minSimilarity: number("--min-similarity <number>", { minimum: 0, maximum: 1, whole: false }),
    ...listFlags,
    explain: toggle("--explain"),
    json: jsonFlag,
    config: configFlag,
  },
  async run({ args, options, terminal }) {
    const paths = readPaths(args.length === 0 ? ["-"] : args);
    tuneRuntime(terminal, paths);

    let names: ProtectedName[];
    let { minSimilarity = 0.75 } = options;
    if (options.protect.length > 0) {
      names = options.protect.map((domain) => ({
        domain: normalizedDomain(domain),
        keywords: [],
        allow: [],
      }));
    } else {
      const config = await loadConfiguration(options.config, terminal.env);
      names = config.protectedDomains;
      minSimilarity = options.minSimilarity ?? config.detection.minSimilarity;
    }
    const matcher = createMatcher(names, { minSimilarity });

    const progress = createProgress(terminal.err, () => performance.now());
    let read = 0;
    let matched = 0;

    for (const path of paths) {
      const list = await openNameList(path, {
        format: options.format,
        column: options.column ?? "",
        // A prefilter drops the lines whose reading is to be explained.
        ...(options.explain ? {} : { screening: { matcher, ...terminal.threads } }),
      });
      const interpretations = createInterpretations({ max: interpretedMax, hostNames: false });
      const invalid: InvalidName[] = [];
      let invalidCount = 0;
      const bytes = sizeOf(path);
      try {
        for await (const batch of list.batches()) {
          for (let i = 0; i < batch.count; i++) {
            const lineError = batch.error(i);
            const isSkipped = lineError === undefined && !batch.mayMatch(i, matcher);
            if (isSkipped && !(options.explain && interpretations.isWanted())) continue;
            const link = batch.link?.(i);
            const reading =
              lineError === undefined
                ? readListedEntry(batch.name(i), link, batch.form?.(i))
                : { error: lineError.why };
            const written = link ?? batch.name(i);
            if ("skipped" in reading) interpretations.addSkipped(batch.line(i), written, reading);
            else if ("entries" in reading)
              for (const entry of reading.entries)
                interpretations.add(batch.line(i), written, entry, show(entry));
            else if (++invalidCount <= invalidShownMax)
              invalid.push({
                line: batch.line(i),
                text: lineError?.text ?? written,
                why: reading.error,
              });
          }
          // Show each result immediately, even if names come slowly.
          terminal.out.flush();
          read += batch.count + batch.dropped;
          // A single name was typed on a terminal, where the progress line would interfere.
          if (batch.count + batch.dropped === 1) continue;
          progress.show((ms) => {
            const percent = percentage(bytes && list.diskBytes / bytes);
            const rate = grouped((read / Math.max(ms, 1)) * 1000);
            return `${shownPath(path)}: ${percent}${grouped(read)} names, ${grouped(matched)} matched, ${rate}/s`;
          });
        }
      } finally {
        progress.end();
        await list.close();
      }
      reportInvalid(terminal.err, path, invalidCount, invalid);
      if (options.explain) reportInterpreted(terminal.err, path, interpretations.kept);
    }

    /** Prints the matches of a name. Returns whether there are any. */
    function show(entry: Entry): boolean {
      const matches = matcher.match(entry.name);
      if (matches.length === 0) return false;
      matched++;
      // If both go to one terminal, the progress line makes room for the results.
      if (terminal.out.isTerminal) progress.end();
      for (const match of matches) printMatch(terminal.out, { ...entry, match, options });
      return true;
    }

    function normalizedDomain(given: string): string {
      const result = readPastedName(given);
      if ("name" in result) return result.name;
      throw new UsageError(`--protect "${visible(given, 100)}" is not a domain name: it ${result.error}`);
    }
  },
});

function printMatch(
  out: Output,
  {
    name,
    form,
    url,
    match: { protectedDomain, type, similarity, reasons, rule },
    options: { explain, json },
  }: Entry & { match: NameMatch; options: { explain: boolean; json: boolean } },
): void {
  if (json) {
    printJson(out, {
      domain: name,
      protected_domain: protectedDomain,
      type,
      similarity,
      reasons: reasons.map(describeReason),
      ...(form === "host_name" ? {} : { form }),
      ...(url === undefined ? {} : { url }),
      ...(explain ? { rule } : {}),
    });
    return;
  }
  out.write(`${name}\t${protectedDomain}\t${type}\t${similarity}\n`);
  if (!explain) return;
  if (name.includes("xn--")) out.write(`    shown as ${displayName(name)}\n`);
  for (const reason of reasons) out.write(`    ${describeReason(reason)}\n`);
  out.write(`    rule ${rule}: ${reasonOfRule(rule)}\n`);
}
