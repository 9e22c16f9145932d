import type { App } from "../../app/app.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import type { Tally } from "../../intake/sources/tally.ts";
import { NameListError } from "../../intake/sources/name-file-bytes/byte-source.ts";
import type { Interpretation } from "../../intake/sources/entries/interpretation.ts";
import { sourceOfFile } from "../../intake/sources/imports/imports.ts";
import { openNameList } from "../../intake/sources/name-files/name-list.ts";
import { threatSources } from "../../platform/vocabulary/threats.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, FailedError, type OptionsOf } from "../terminal/command.ts";
import { choice, configFlag, jsonFlag, time } from "../terminal/flags.ts";
import { createProgress, percentage } from "../terminal/progress.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
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

const flags = {
  source: choice("--source <source>", threatSources),
  observedAt: time("--observed-at <time>"),
  ...listFlags,
  json: jsonFlag,
  config: configFlag,
};

export const importCommand = command({
  name: "import",
  arguments: "<file...>",
  details: `${listDetails}
"-" is standard input.

A server may run at the same time; it delivers the events. Running the import again records nothing twice.`,
  flags,
  async run({ args, options, terminal }) {
    const paths = readPaths(args);
    tuneRuntime(terminal, paths);
    const signal = terminal.interruption();
    await withAppliance({ terminal, options }, async (appliance) => {
      let failed = 0;
      for (const path of paths) {
        try {
          await importList(appliance, path, options, terminal, signal);
        } catch (error) {
          // With a single list, fail the command itself.
          if (!(error instanceof NameListError) || paths.length === 1) throw error;
          terminal.err.write(`phishwatch: ${visible(error.message, 1_000)}\n`);
          failed++;
        }
      }
      if (failed > 0)
        throw new FailedError(`${failed} of ${paths.length} lists could not be read completely`);
    });
  },
});

async function importList(
  appliance: App,
  path: string,
  options: OptionsOf<typeof flags>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { source, observedAt, format, column = "" } = options;
  const elapsedMs = () => performance.now();
  const startedMs = elapsedMs();
  const screening = { matcher: appliance.domains.matcher(), ...terminal.threads };
  const interrupted = (lines: number) =>
    new FailedError(
      `interrupted after line ${grouped(lines)} of ${shownPath(path)}; results so far are recorded. ` +
        "Run it again to check the rest; nothing is recorded twice",
    );
  const list = await openNameList(path, { format, column, screening, signal }).catch((error: unknown) => {
    throw signal.aborted ? interrupted(0) : error;
  });
  const isTyped = path === "-" && terminal.inputIsTerminal;
  const usedSource = source ?? sourceOfFile(isTyped ? null : path);
  const bytes = sizeOf(path);
  const progress = createProgress(terminal.err, elapsedMs);
  let lines = 0;
  let tally: Readonly<Tally> | undefined;
  try {
    tally = await appliance.imports.process(
      {
        name: shownPath(path),
        format,
        column,
        bytesTotal: bytes ?? null,
        batches: list.batches(),
        bytes: () => list.diskBytes,
      },
      {
        by: actorOfShell(terminal.env),
        source: usedSource,
        observedAt,
        signal,
        onCommit: (done, soFar) => {
          lines = done.line - 1;
          tally = soFar;
        },
        onProgress: (soFar) =>
          progress.show((ms) => progressText(path, soFar, ms, bytes && list.diskBytes / bytes)),
      },
    );
  } finally {
    progress.end();
    await list.close();
    if (tally !== undefined) {
      report(terminal, path, tally, elapsedMs() - startedMs, options.json);
      // The lines of a long list of links would hide everything else.
      if (usedSource === "submission" && !options.json)
        reportInterpreted(terminal.err, path, tally.interpreted);
    }
  }
  if (signal.aborted) throw interrupted(lines);
}

function report(
  { out, err }: Terminal,
  path: string,
  tally: Readonly<Tally>,
  ms: number,
  json: boolean,
): void {
  const { received, invalid, firstInvalid, matched, created, interpreted } = tally;
  if (json)
    printJson(out, {
      file: path,
      received,
      invalid,
      matched,
      created,
      first_invalid: firstInvalid,
      ...(interpreted.length === 0 ? {} : { interpreted: interpreted.map(interpretationJson) }),
    });
  else {
    const rate = grouped((received / Math.max(ms, 1)) * 1000);
    out.write(
      `${shownPath(path)}: ${counted(received, "name")}, ${grouped(invalid)} invalid, ${grouped(matched)} matched, ` +
        `${counted(created, "new threat")} (${(ms / 1000).toFixed(1)} s, ${rate} names/s)\n`,
    );
  }
  reportInvalid(err, path, invalid, firstInvalid);
}

function interpretationJson({ line, text, form, name, url, isMatch }: Interpretation) {
  const address = url === undefined ? {} : { url };
  return { line, text, form, domain: name, ...address, matched: isMatch };
}

function progressText(
  path: string,
  { received, matched, created }: Tally,
  ms: number,
  part: number | undefined,
): string {
  const percent = percentage(part);
  const rate = grouped((received / Math.max(ms, 1)) * 1000);
  return `${shownPath(path)}: ${percent}${grouped(received)} names, ${grouped(matched)} matched, ${grouped(created)} new, ${rate}/s`;
}
