import { jsonFields } from "../../platform/lib/key-names.ts";
import type { App } from "../../app/app.ts";
import { optionalIsoTime } from "../../platform/lib/clock.ts";
import { createLimiter } from "../../platform/lib/limiter.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import type { Inspection } from "../../facts/inspection/inspections.ts";
import type { NowOutcome } from "../../facts/inspection/model/request.ts";
import { readEntries, type Reading, readListedEntry } from "../../intake/sources/entries/entry.ts";
import { openNameList } from "../../intake/sources/name-files/name-list.ts";
import { describeSignal } from "../../platform/vocabulary/page-signals.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, FailedError, type OptionsOf, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { createProgress } from "../terminal/progress.ts";
import { replaceFile } from "../terminal/replace-file.ts";
import { printJson } from "../terminal/table.ts";
import type { Output, Terminal } from "../terminal/terminal.ts";
import { listDetails, readPaths } from "./lists.ts";

/** Inspections at the same time. */
const concurrencyMax = 8;
/** Maximum number of addresses of a list, which are read before the first ones are inspected. */
const addressesMax = 100_000;
const shownAddressMax = 2_048;

const flags = {
  file: text("--file <path>"),
  screenshot: text("--screenshot <file>"),
  explain: toggle("--explain"),
  again: toggle("--again"),
  dryRun: toggle("--dry-run"),
  json: jsonFlag,
  config: configFlag,
};

export const inspectCommand = command({
  name: "inspect",
  arguments: "[address...]",
  details: `Opens each address now and compares its page with your own pages. Prints one line for each, separated by tabs: address,
result (imitates, harmless, failed, refused, waits), protected domain, score and threat; below it the signals with their points.

A page that imitates yours is recorded as a threat. A host is inspected once per hour: further addresses of it wait, and a running
server inspects them later. With --again, they are inspected now. An address may be a URL, a host name or an email address, also in a
defanged form. A server may run at the same time; it delivers the events. The daily budget does not apply.

${listDetails}`,
  flags,
  async run({ args, options, terminal }) {
    const { file, screenshot } = options;
    if (args.length === 0 && file === undefined)
      throw new UsageError("name an address, or a list with --file; see phishwatch inspect --help");
    if (args.includes("")) throw new UsageError("an address is empty");
    if (screenshot !== undefined && (args.length !== 1 || file !== undefined))
      throw new UsageError("--screenshot needs exactly one address");
    const signal = terminal.interruption();
    await withAppliance({ terminal, options }, async (appliance) => {
      const given = args.flatMap((argument) => addressesIn(argument, readEntries(argument)));
      const addresses = [...given, ...(file === undefined ? [] : await readAddresses(file))];
      try {
        await inspectAll(appliance, addresses, { options, signal, terminal });
      } finally {
        await appliance.inspection.close();
      }
    });
  },
});

/**
 * Returns the addresses in a text; the text itself if it contains none, so that the reason is shown. The domain of an
 * email's sender seldom has a page, and a visit to it would say that the email was read.
 */
function addressesIn(written: string, reading: Reading): string[] {
  if (!("entries" in reading)) return [written];
  return reading.entries.filter(({ form }) => form !== "message_sender").map(({ name, url }) => url ?? name);
}

/** Returns the addresses of a list. */
async function readAddresses(path: string): Promise<string[]> {
  const [only] = readPaths([path]);
  const list = await openNameList(only!, {});
  const addresses = new Set<string>();
  try {
    for await (const batch of list.batches())
      for (let index = 0; index < batch.count; index += 1) {
        const written = batch.error(index)?.text ?? batch.name(index);
        const reading = readListedEntry(written, batch.link?.(index), batch.form?.(index));
        for (const address of addressesIn(batch.link?.(index) ?? written, reading)) addresses.add(address);
        if (addresses.size > addressesMax)
          throw new FailedError(
            `the list has more than ${grouped(addressesMax)} addresses; split it, or declare it as a feed with inspect = true`,
          );
      }
  } finally {
    await list.close();
  }
  return [...addresses];
}

async function inspectAll(
  appliance: App,
  addresses: readonly string[],
  {
    options,
    signal,
    terminal,
  }: { options: OptionsOf<typeof flags>; signal: AbortSignal; terminal: Terminal },
): Promise<void> {
  const { out, err } = terminal;
  const by = actorOfShell(terminal.env);
  const progress = createProgress(err, () => performance.now());
  const limited = createLimiter(concurrencyMax);
  const counts = { done: 0, imitating: 0, unclear: 0, waiting: 0 };

  async function inspectOne(address: string): Promise<void> {
    if (signal.aborted) return;
    const outcome = await appliance.inspection.inspections.inspectNow(address, {
      source: "submission",
      origin: { kind: by.channel, name: by.name ?? "" },
      browser: options.screenshot === undefined ? "if_needed" : "always",
      again: options.again || options.screenshot !== undefined,
      record: !options.dryRun,
      signal,
    });
    counts.done += 1;
    if (outcome.outcome === "refused") counts.unclear += outcome.isOwn ? 0 : 1;
    else if (outcome.outcome === "queued") counts.waiting += 1;
    else if (outcome.inspection.state === "failed") counts.unclear += 1;
    else if (outcome.inspection.imitates === true) counts.imitating += 1;
    progress.end();
    printOutcome(out, address, outcome, options);
    if (options.screenshot !== undefined) await writeScreenshot(options.screenshot, outcome);
    if (addresses.length > 1)
      progress.show(
        () =>
          `${grouped(counts.done)} of ${grouped(addresses.length)} addresses inspected, ${grouped(counts.imitating)} imitate`,
      );
  }

  try {
    await Promise.all(addresses.map((address) => limited(() => inspectOne(address))));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
    out.flush();
  }
  if (signal.aborted)
    throw new FailedError(
      `interrupted after ${grouped(counts.done)} of ${counted(addresses.length, "address", "addresses")}; ${options.dryRun ? "nothing is" : "results so far are"} recorded`,
    );
  if (counts.waiting > 0)
    err.write(
      `a running server inspects ${counted(counts.waiting, "address", "addresses")} later; to inspect them now, use --again\n`,
    );
  if (counts.unclear > 0)
    throw new FailedError(
      `${grouped(counts.unclear)} of ${counted(addresses.length, "address", "addresses")} could not be inspected`,
    );
}

async function writeScreenshot(path: string, outcome: NowOutcome): Promise<void> {
  const webp = outcome.outcome === "inspected" ? outcome.screenshot : undefined;
  if (webp === undefined)
    throw new FailedError(
      'there is no screenshot: screenshots.keep is "fingerprints", or no Chromium could open the page; see phishwatch check',
    );
  await replaceFile(path, webp);
}

function printOutcome(
  out: Output,
  address: string,
  outcome: NowOutcome,
  { explain, json }: Pick<OptionsOf<typeof flags>, "explain" | "json">,
): void {
  const shown = visible(address, shownAddressMax);
  if (outcome.outcome === "refused") {
    if (json) printJson(out, { address: shown, result: "refused", reason: outcome.reason });
    else out.write(`${shown}\trefused\t\t\t\n    ${outcome.reason}\n`);
    return;
  }
  const { inspection } = outcome;
  if (json) printJson(out, inspectionJson(inspection, outcome.outcome === "known"));
  else printInspection(out, inspection, explain);
  // An inspection takes seconds, so each result is shown immediately.
  out.flush();
}

function resultOf({ imitates, state }: Inspection): "imitates" | "harmless" | "failed" | "waits" {
  if (state === "queued" || state === "running") return "waits";
  if (imitates === null || state === "failed") return "failed";
  return imitates ? "imitates" : "harmless";
}

function printInspection(out: Output, inspection: Inspection, explain: boolean): void {
  const { address, protectedDomain, reason, score, threatId, verdicts } = inspection;
  const result = resultOf(inspection);
  out.write(`${[visible(address, shownAddressMax), result, protectedDomain, score, threatId].join("\t")}\n`);
  if (reason !== null) out.write(`    ${reason}\n`);
  if (result === "harmless" && !explain) return;
  for (const { code, params, points } of verdicts[0]?.signals ?? [])
    out.write(
      `    ${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)}  ${describeSignal({ code, params })}\n`,
    );
}

function inspectionJson(inspection: Inspection, isKnown: boolean): object {
  const { finishedAt, host, page, verdicts } = inspection;
  return {
    address: inspection.address,
    domain: host,
    result: resultOf(inspection),
    ...jsonFields(inspection, "protectedDomain score threatId"),
    known: isKnown,
    inspected_at: optionalIsoTime(finishedAt),
    reason: inspection.reason,
    page: page && jsonFields(page, "finalUrl redirects status title"),
    verdicts: verdicts.map((verdict) => ({
      ...jsonFields(verdict, "protectedDomain score imitates original"),
      signals: verdict.signals.map((signal) => ({
        ...jsonFields(signal, "code strength points"),
        text: describeSignal(signal),
      })),
    })),
  };
}
