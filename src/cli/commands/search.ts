import { existsSync } from "node:fs";
import { sqliteErrorCode } from "../../platform/database/files/errors.ts";
import { archiveFolder } from "../../engines/archive/files/folder.ts";
import { type ArchiveQuery, parseTextQuery } from "../../engines/archive/search/query.ts";
import { type ArchiveHit, searchFolder } from "../../engines/archive/search/search-folder.ts";
import { readPastedName } from "../../engines/detection/names/pasted-name.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { threatSources } from "../../platform/vocabulary/threats.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command, FailedError, UsageError } from "../terminal/command.ts";
import { choice, configFlag, jsonFlag, number, text, time } from "../terminal/flags.ts";
import { createProgress, percentage } from "../terminal/progress.ts";
import { printJson } from "../terminal/table.ts";

const limitDefault = 1_000;
const limitMax = 1_000_000;
const nameLengthMax = 253;

export const searchCommand = command({
  name: "search",
  arguments: "[text]",
  flags: {
    like: text("--like <domain>"),
    minSimilarity: number("--min-similarity <number>", { minimum: 0, maximum: 1, whole: false }),
    since: time("--since <time>"),
    source: choice("--source <source>", threatSources),
    limit: number("-n, --limit <count>", { minimum: 1, maximum: limitMax, whole: true }, limitDefault),
    archive: text("--archive <folder>"),
    json: jsonFlag,
    config: configFlag,
  },
  async run({ args, options, terminal }) {
    const { like, since, source, limit, json } = options;
    const [typed] = args;
    if ((typed === undefined) === (like === undefined))
      throw new UsageError("search takes either a text or --like <domain>");
    // A copied archive can be searched on a machine without a configuration.
    const config =
      options.archive === undefined ? await loadConfiguration(options.config, terminal.env) : undefined;
    const minSimilarity = options.minSimilarity ?? config?.detection.minSimilarity ?? 0.75;
    const query = like === undefined ? textQuery(typed!) : lookAlikeQuery(like, minSimilarity);
    const folder = options.archive ?? archiveFolder(config!.storage.path);

    if (!existsSync(folder)) {
      if (options.archive !== undefined)
        throw new FailedError(`there is no archive at ${visible(folder, 500)}`);
      terminal.err.write(`phishwatch: no names have been stored yet in ${visible(folder, 500)}\n`);
      return;
    }

    const signal = terminal.interruption();
    const progress = createProgress(terminal.err, () => performance.now());
    let found = 0;
    let damagedBytes = 0;
    let isLimited = false;
    const hits = searchFolder({
      folder,
      query,
      since,
      source,
      // One more shows that there are more.
      limit: limit + 1,
      signal,
      ...terminal.threads,
      onProgress(soFar) {
        damagedBytes = soFar.damagedBytes;
        terminal.out.flush();
        progress.show((ms) => {
          const percent = percentage(soFar.namesTotal === 0 ? undefined : soFar.names / soFar.namesTotal);
          const rate = grouped((soFar.names / Math.max(ms, 1)) * 1000);
          return `${percent}${grouped(soFar.names)} names, ${grouped(found)} found, ${rate}/s`;
        });
      },
    });
    try {
      for await (const hit of hits) {
        if (found === limit) {
          isLimited = true;
          break;
        }
        found++;
        // If both go to one terminal, the progress line makes room for the results.
        if (terminal.out.isTerminal) progress.end();
        if (json) printJson(terminal.out, jsonOf(hit));
        else terminal.out.write(`${lineOf(hit)}\n`);
      }
    } catch (error) {
      if (sqliteErrorCode(error) === undefined) throw error;
      throw new FailedError(`the archive cannot be read: ${messageOf(error)}`);
    } finally {
      progress.end();
      terminal.out.flush();
    }
    if (isLimited)
      terminal.err.write(`phishwatch: stopped after ${counted(found, "name")}; raise --limit to see more\n`);
    if (damagedBytes > 0)
      terminal.err.write(
        `phishwatch: ${bytesText(damagedBytes)} of the archive are damaged and were skipped\n`,
      );
    if (signal.aborted) throw new FailedError("interrupted; more names may match");
  },
});

function textQuery(typed: string): ArchiveQuery {
  const query = parseTextQuery(typed);
  if ("error" in query) throw new UsageError(query.error);
  return query;
}

function lookAlikeQuery(domain: string, minSimilarity: number): ArchiveQuery {
  const result = readPastedName(domain);
  if ("error" in result)
    throw new UsageError(`--like "${visible(domain, 100)}" is not a domain name: it ${result.error}`);
  return { kind: "look-alikes", domain: result.name, minSimilarity };
}

const dateOf = ({ day }: ArchiveHit) => toIsoTime(day).slice(0, "2026-01-31".length);

function lineOf(hit: ArchiveHit): string {
  const { name, type, similarity, source } = hit;
  const match = type === null ? [] : [type, String(similarity)];
  return [visible(name, nameLengthMax), ...match, dateOf(hit), source].join("\t");
}

function jsonOf(hit: ArchiveHit) {
  const { name, type, similarity, source } = hit;
  return { domain: name, ...(type === null ? {} : { type, similarity }), first_seen: dateOf(hit), source };
}
