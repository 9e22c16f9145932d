import { bytesText, spanText } from "../../../lib/durations.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped, sentence } from "../../../lib/wording.ts";
import type { CertificateLogStatus, LogState } from "../../../sources/certificate-logs/status.ts";
import { Facts, Section, Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import { Table, type Column } from "../../kit/table.tsx";
import type { PageServices } from "../../shell/services.ts";

const textCharactersMax = 120;
const errorCharactersMax = 300;

const tones: Record<LogState, Tone> = {
  waiting: "neutral",
  following: "good",
  failing: "bad",
  mismatch: "bad",
  complete: "neutral",
  paused: "warn",
};

const columns: Column<CertificateLogStatus>[] = [
  {
    title: "Log",
    cell: ({ description, operator, isVerified, position }) => (
      <>
        <Text text={description} charactersMax={textCharactersMax} />{" "}
        <span class="hint">
          <Text text={operator} charactersMax={textCharactersMax} />
          {isVerified || position === null ? "" : ", names not verified"}
        </span>
      </>
    ),
  },
  {
    title: "State",
    layout: "tight",
    cell: ({ state }) => <StateMark tone={tones[state]}>{state}</StateMark>,
  },
  { title: "Behind", layout: "number", cell: lagOf },
  {
    title: "Per second",
    layout: "number",
    cell: ({ entriesPerSecond, bytesPerSecond }) => (
      <>
        {rateText(entriesPerSecond)} entries
        <br />
        {bytesText(bytesPerSecond)}
      </>
    ),
  },
  {
    title: "Entries",
    layout: "number",
    cell: ({ entries, skipped }) => (
      <>
        {grouped(entries)}
        {skipped === 0 ? null : (
          <>
            <br />
            {grouped(skipped)} skipped
          </>
        )}
      </>
    ),
  },
  { title: "New threats", layout: "number", cell: ({ created }) => grouped(created) },
  { title: "Last error", layout: "wide", cell: lastError },
];

/** Entries that are not read yet, and for how long they have been waiting. */
function lagOf({ lagEntries, lagMs, position }: CertificateLogStatus) {
  if (position === null) return "–";
  if (lagEntries === 0) return "0";
  return (
    <>
      {grouped(lagEntries)}
      <br />
      {spanText(lagMs)}
    </>
  );
}

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
  if (error === null) return "none";
  return (
    <>
      <Time at={error.at} relative /> {visible(error.text, errorCharactersMax)}
    </>
  );
}

/** All followed logs, and the list that they are from. */
export function CertificateLogsDetail({ source }: { source: NonNullable<PageServices["certificateLogs"]> }) {
  const logs = source.logs();
  const { origin, publishedAt, fetchedAt, problem } = source.list();
  return (
    <>
      <Section title="Logs">
        <p>{summaryOf(logs)}</p>
        <Table
          caption="Followed logs, by operator"
          columns={columns}
          rows={logs}
          empty="No log is followed."
        />
      </Section>
      <Section title="Log list">
        <Facts
          facts={[
            ["Origin", <Text text={origin} />],
            ["Published", publishedAt === null ? "unknown" : <Time at={publishedAt} />],
            ["Refreshed", fetchedAt === null ? "never" : <Time at={fetchedAt} relative />],
            ...(problem === null ? [] : [["Problem", visible(problem, errorCharactersMax)] as const]),
          ]}
        />
      </Section>
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
