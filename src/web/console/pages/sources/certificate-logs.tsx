import { bytesText, spanText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import type { CertificateLogStatus, LogState } from "../../../../intake/sources/certificate-logs/status.ts";
import { Card, Facts, Time } from "../../kit/components.tsx";
import { type IconName, StateMark, type Tone, Text } from "../../kit/inline.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { originPath } from "../../kit/paths.ts";
import { column, Table, type Column, Amount } from "../../kit/table.tsx";
import type { PageServices } from "../../shell/services.ts";

const textCharactersMax = 120;
const errorCharactersMax = 300;

/** A log that is further behind is catching up. */
const followingLagMs = 5 * 60_000;
/** Number of logs on the page of all sources; their page lists all. */
const shownMax = 8;

interface Mark {
  tone: Tone;
  label: string;
  icon?: IconName;
}

const marks: Record<LogState, Mark> = {
  waiting: { tone: "neutral", label: "Waiting" },
  following: { tone: "good", label: "Following" },
  failing: { tone: "bad", label: "Failing" },
  mismatch: { tone: "bad", label: "Contradicts itself" },
  complete: { tone: "neutral", label: "Complete" },
  paused: { tone: "neutral", label: "Paused", icon: "pause" },
};
const catchingUp: Mark = { tone: "warn", label: "Catching up", icon: "clock" };

function StateOfLog({ log: { state, lagMs } }: { log: CertificateLogStatus }) {
  const isBehind = state === "following" && lagMs >= followingLagMs;
  const { tone, icon, label } = isBehind ? catchingUp : marks[state];
  return (
    <StateMark tone={tone} icon={icon}>
      {label}
    </StateMark>
  );
}

const columns: Column<CertificateLogStatus>[] = [
  column("Log", "title", ({ description, operator, isVerified, position }) => (
    <>
      <Text text={description} charactersMax={textCharactersMax} />
      <p class="hide-s">
        <Text text={operator} charactersMax={textCharactersMax} />
        {isVerified || position === null ? "" : ", names not verified"}
      </p>
    </>
  )),
  column("State", "tight state", (log) => <StateOfLog log={log} />),
  column("Lag", "number hidden", ({ lagMs, lagEntries, position }) =>
    position === null ? "–" : lagEntries === 0 ? "none" : spanText(lagMs),
  ),
  column("Entries behind", "number hidden", ({ lagEntries, position }) =>
    position === null ? "–" : grouped(lagEntries),
  ),
  column("Entries a second", "number under", ({ entriesPerSecond, bytesPerSecond }) => (
    <>
      {rateText(entriesPerSecond)}
      <span class="unit"> entries a second</span>
      <p class="hide-s">{bytesText(bytesPerSecond)}/s</p>
    </>
  )),
  column("New threats", "number end", ({ created }) => <Amount count={created} unit="new threat" />),
];

const detailColumns: Column<CertificateLogStatus>[] = [
  ...columns.slice(0, -1),
  column("Entries", "number hidden", ({ entries, skipped }) => (
    <>
      {grouped(entries)}
      {skipped === 0 ? null : <p>{grouped(skipped)} skipped</p>}
    </>
  )),
  ...columns.slice(-1),
  column("Last error", "wide hidden", lastError),
];

function rateText(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : grouped(rate);
}

function lastError({ error, mismatch }: CertificateLogStatus) {
  if (mismatch !== null)
    return (
      <>
        {sentence(visible(mismatch, errorCharactersMax))} It is read again later, from the last verified
        position. If this persists, report it to the operator.
      </>
    );
  if (error === null) return <span class="faint">none</span>;
  return (
    <>
      <Time at={error.at} relative /> {visible(error.text, errorCharactersMax)}
    </>
  );
}

function LogsHelp() {
  return <Help topic="certificate_log" />;
}

/** The state of all logs in one sentence, and the logs that need attention or are the furthest behind. */
export function CertificateLogsCard({ source }: { source: NonNullable<PageServices["certificateLogs"]> }) {
  const logs = source.logs();
  const shown = logs
    .toSorted((a, b) => Number(isBroken(b)) - Number(isBroken(a)) || b.lagMs - a.lagMs)
    .slice(0, shownMax);
  return (
    <Card
      title="Certificate logs"
      flush
      aside={
        <div class="line">
          <LogsHelp />
          <a class="s" href={originPath(source)}>
            {logs.length > shown.length ? `All ${grouped(logs.length)} logs` : "All logs"}
          </a>
        </div>
      }
    >
      <p class="remark">{summaryOf(logs)}</p>
      <Table
        caption="Certificate logs, those with problems first"
        columns={columns}
        rows={shown}
        empty="No log is followed."
      />
    </Card>
  );
}

function isBroken({ state }: CertificateLogStatus): boolean {
  return marks[state].tone === "bad";
}

/** All followed logs, and the list that they are from. */
export function CertificateLogsDetail({ source }: { source: NonNullable<PageServices["certificateLogs"]> }) {
  const logs = source.logs();
  const { isNeeded, origin, publishedAt, fetchedAt, problem } = source.list();
  const unpublished = isNeeded ? "unknown" : "not needed, because no public log is followed";
  return (
    <>
      <Card title="Logs" flush aside={<LogsHelp />}>
        <p class="remark">{summaryOf(logs)}</p>
        <Table
          caption="Followed logs, by operator"
          columns={detailColumns}
          rows={logs}
          empty="No log is followed."
        />
      </Card>
      <Card title="Log list">
        <Facts
          facts={[
            ["Origin", <Text text={origin} />],
            ["Published", publishedAt === null ? unpublished : <Time at={publishedAt} />],
            ["Refreshed", fetchedAt === null ? "never" : <Time at={fetchedAt} relative />],
            problem !== null && ["Problem", visible(problem, errorCharactersMax)],
          ]}
        />
      </Card>
    </>
  );
}

/** Returns the logs, rates and lag in one sentence. */
export function summaryOf(logs: readonly CertificateLogStatus[]): string {
  const sum = (value: (log: CertificateLogStatus) => number) =>
    logs.reduce((total, log) => total + value(log), 0);
  const following = logs.filter(({ state }) => state === "following").length;
  const slowest = logs.reduce<CertificateLogStatus | undefined>(
    (worst, log) => (log.lagMs > (worst?.lagMs ?? 0) ? log : worst),
    undefined,
  );
  const lag =
    slowest === undefined
      ? "nothing left to read"
      : `the slowest log, ${visible(slowest.description, textCharactersMax)}, is ${spanText(slowest.lagMs)} behind`;
  const rates = `${rateText(sum(({ entriesPerSecond }) => entriesPerSecond))} entries and ${bytesText(sum(({ bytesPerSecond }) => bytesPerSecond))} per second`;
  return `Following ${grouped(following)} of ${counted(logs.length, "log")}: ${rates}, ${lag}.`;
}
