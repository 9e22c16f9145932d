import { jsonFields } from "../../platform/lib/key-names.ts";
import type { App } from "../../app/app.ts";
import type { LogChoice, LogDecision } from "../../engines/certificate-transparency/log-list/choose-logs.ts";
import { type Instant, optionalIsoTime, systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { grouped } from "../../platform/lib/wording.ts";
import type { CertificateLogs } from "../../intake/sources/certificate-logs/certificate-logs.ts";
import {
  type CertificateLogStatus,
  lagText,
  stateText,
} from "../../intake/sources/certificate-logs/status.ts";
import { command, type CommandGroup, FailedError } from "../terminal/command.ts";
import { configFlag, jsonFlag, texts, toggle } from "../terminal/flags.ts";
import { type Column, printJson, printList, shortTime } from "../terminal/table.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Candidate } from "../../intake/sources/certificate-log-reading/messages.ts";
import { createRecentNames } from "../../intake/sources/certificate-logs/recent-names.ts";
import { tailLogs } from "../../intake/sources/certificate-logs/tail.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { readCommand } from "./certificate-logs-read.ts";
import { appCommand } from "../appliance/app-command.ts";

const decisionTexts: Readonly<Record<LogDecision | "declared", string>> = {
  followed: "followed",
  declared: "followed: declared in the configuration",
  state: "not followed: browsers do not accept it, or no longer",
  not_production: "not followed: a test log",
  operator: "not followed: operator not in certificate_logs.operators",
  expired: "not followed: its certificates have expired",
  complete: "not followed: read-only",
};

const notFollowed = "certificate logs are not followed; set certificate_logs.enabled = true";

interface ListedLog extends Pick<LogChoice, "log" | "interval"> {
  state: LogChoice["state"] | null;
  decision: LogDecision | "declared";
}

const listColumns: Column<ListedLog>[] = [
  { title: "OPERATOR", cell: ({ log }) => log.operator },
  { title: "LOG", cell: ({ log }) => log.description, elastic: true },
  { title: "PROTOCOL", cell: ({ log }) => log.protocol },
  { title: "EXPIRY FROM", cell: ({ interval }) => (interval === null ? "–" : day(interval.start)) },
  { title: "TO", cell: ({ interval }) => (interval === null ? "–" : day(interval.end)) },
  { title: "DECISION", cell: ({ decision }) => decisionTexts[decision], elastic: true },
];

export const listCommand = appCommand({
  name: "list",
  flags: { followed: toggle("--followed"), json: jsonFlag },
  run({ app: appliance, options, terminal }) {
    const isEnabled = appliance.certificateLogs !== undefined;
    if (!isEnabled) terminal.err.write(`${notFollowed}; this is what would be followed\n`);
    const { choices, extra } = appliance.logList();
    const unlisted = { interval: null, state: null, decision: "declared" } as const;
    const declared = extra.map((log): ListedLog => ({ log, ...unlisted }));
    const isFollowed = ({ decision }: ListedLog) => decision === "followed" || decision === "declared";
    const rows = [...choices, ...declared].filter((one) => !options.followed || isFollowed(one));
    const json = (one: ListedLog) => ({
      ...jsonFields(one.log, "logId operator description protocol url"),
      state: one.state,
      start: optionalIsoTime(one.interval?.start),
      end: optionalIsoTime(one.interval?.end),
      decision: one.decision,
      is_followed: isEnabled && isFollowed(one),
    });
    printList({ options, terminal }, rows, { columns: listColumns, none: "no logs", json });
  },
});

const statusColumns: Column<CertificateLogStatus>[] = [
  { title: "LOG", cell: ({ description }) => description, elastic: true },
  { title: "STATE", cell: stateText },
  { title: "POSITION", cell: ({ position }) => (position === null ? "–" : grouped(position)), right: true },
  { title: "LAG", cell: lagText, right: true },
  { title: "ENTRIES/S", cell: ({ entriesPerSecond }) => grouped(entriesPerSecond), right: true },
  { title: "BYTES/S", cell: ({ bytesPerSecond }) => bytesText(bytesPerSecond), right: true },
  { title: "MATCHED", cell: ({ matched }) => grouped(matched), right: true },
  { title: "SKIPPED", cell: ({ skipped }) => grouped(skipped), right: true },
  {
    title: "LAST ERROR",
    cell: ({ error }) => (error === null ? "–" : `${shortTime(error.at)} ${error.text}`),
    elastic: true,
  },
];

export const statusCommand = appCommand({
  name: "status",
  flags: { json: jsonFlag },
  run({ app, ...call }) {
    const rows = enabledLogs(app).logs();
    printList(call, rows, { columns: statusColumns, none: "no logs are followed", json: shape });
  },
});

function shape(row: CertificateLogStatus): object {
  return {
    ...jsonFields(row, "logId operator description protocol url state position size lagEntries"),
    lag_seconds: Math.round(row.lagMs / 1_000),
    ...jsonFields(row, "entries names matched created skipped malformed bytes"),
    entries_per_second: Number(row.entriesPerSecond.toFixed(2)),
    bytes_per_second: Math.round(row.bytesPerSecond),
    ...jsonFields(row, "isVerified mismatch errors"),
    error: row.error?.text ?? null,
    error_at: optionalIsoTime(row.error?.at),
    ...jsonFields(row, "startedAt progressAt"),
  };
}

function enabledLogs({ certificateLogs }: App): CertificateLogs {
  if (certificateLogs !== undefined) return certificateLogs;
  throw new FailedError(notFollowed);
}

function day(instant: Instant): string {
  return toIsoTime(instant).slice(0, 10);
}

const tailCommand = command({
  name: "tail",
  flags: {
    operators: texts("--operator <name>"),
    namesOnly: toggle("--names-only"),
    json: jsonFlag,
    config: configFlag,
  },
  async run({ options, terminal }) {
    const signal = terminal.interruption();
    const { certificateLogs } = await loadConfiguration(options.config, terminal.env);
    const { operators, namesOnly } = options;
    const { out, err } = terminal;
    const recent = createRecentNames({
      now: systemClock.now,
      fillRandom,
    });

    function print(candidate: Candidate): void {
      if (options.json) return printJson(out, certificateJson(candidate));
      if (recent.has(candidate.name)) return;
      recent.add(candidate.name);
      out.write(`${visible(candidate.name, 300)}\n`);
    }

    await tailLogs({
      config: {
        ...certificateLogs,
        namesOnly: namesOnly || certificateLogs.namesOnly,
      },
      only: operators,
      clock: systemClock,
      random: Math.random,
      signal,
      onNames(names) {
        for (const name of names) print(name);
        out.flush();
      },
      onProblem(what, problem) {
        err.write(`phishwatch: ${visible(what, 200)}: ${visible(problem, 500)}\n`);
        err.flush();
      },
    });
  },
});

function certificateJson({ name, seenAt, certificate }: Candidate): object {
  return {
    name,
    ...jsonFields(certificate, "log index"),
    seen_at: toIsoTime(seenAt),
    ...jsonFields(certificate, "issuer serial"),
    not_before: optionalIsoTime(certificate.notBefore),
    ...jsonFields(certificate, "entryUrl isVerified"),
  };
}

export const certificateLogsCommands: CommandGroup = {
  name: "certificate-logs",
  commands: [listCommand, statusCommand, tailCommand, readCommand],
};
