import type { BackupStatus } from "../../../../operations/backups/running/backups.ts";
import type { KeptAside } from "../../../../platform/database/files/pending-restore.ts";
import { bytesText, spanText } from "../../../../platform/lib/durations.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Card, Facts, Time, Separated } from "../../kit/components.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { redirect } from "../../kit/page-result.ts";
import { systemPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

const errorCharactersMax = 1_000;
const pathCharactersMax = 1_000;
const asideShownMax = 10;

/** Backups on the page System: the last one, the next one, and what earlier restores left. */
export function BackupsCard({ status, aside }: { status: BackupStatus; aside: readonly KeptAside[] }) {
  const { completed, failure, isEncrypted } = status;
  return (
    <Card title="Backups" aside={<a href="/docs/backup">Manual</a>}>
      <Facts
        facts={[
          ["Last backup", <LastBackup status={status} />],
          failure !== null && [
            "Last failure",
            <>
              <StateMark tone="bad">failed</StateMark> <Time at={failure.at} relative />:{" "}
              <Text text={failure.error} charactersMax={errorCharactersMax} />
            </>,
          ],
          ["Next backup", <NextBackup status={status} />],
          [
            "Place",
            <>
              <Text text={status.location} charactersMax={pathCharactersMax} />
              {isEncrypted ? ", encrypted" : ", not encrypted"}
            </>,
          ],
          completed !== null && ["Kept", counted(completed.kept, "backup")],
          aside.length > 0 && ["Replaced by restores", <Aside aside={aside} />],
        ]}
      />
      <p class="hint after">
        A backup contains the database, the screenshots, the archive of names and the configuration file.
      </p>
    </Card>
  );
}

function LastBackup({ status: { completed, isRunning, overdueSince } }: { status: BackupStatus }) {
  if (isRunning) return <StateMark tone="live">in progress</StateMark>;
  if (completed === null)
    return overdueSince === null ? <>none yet</> : <StateMark tone="bad">none yet, overdue</StateMark>;
  const { at, bytes, storedBytes, durationMs } = completed;
  return (
    <>
      <StateMark tone={overdueSince === null ? "good" : "bad"}>
        {overdueSince === null ? "completed" : "overdue"}
      </StateMark>{" "}
      {overdueSince === null ? "" : "completed "}
      <Time at={at} relative />: {bytesText(bytes)}, of which {bytesText(storedBytes)} were stored in{" "}
      {spanText(durationMs)}
    </>
  );
}

function NextBackup({ status: { nextAt, schedule, unavailable } }: { status: BackupStatus }) {
  if (unavailable !== null) return <>none: {unavailable}</>;
  if (nextAt === null)
    return (
      <>
        not scheduled; set <code>backup.schedule</code>
      </>
    );
  return (
    <>
      <Time at={nextAt} /> (<code>{schedule}</code>)
    </>
  );
}

function Aside({ aside }: { aside: readonly KeptAside[] }) {
  return (
    <>
      {bytesText(aside.reduce((sum, { bytes }) => sum + bytes, 0))}:{" "}
      <Separated items={aside.slice(0, asideShownMax)}>
        {({ path }) => <Text text={path} charactersMax={pathCharactersMax} />}
      </Separated>
      . <code>phishwatch restore --remove-aside</code> deletes them.
    </>
  );
}

/** Starts a backup. It takes seconds to minutes, so its outcome appears on the page. */
export function backUpNow({ services: { backups }, by }: Context<"backups">) {
  const { isRunning, unavailable } = backups.status();
  if (unavailable !== null)
    return redirect(systemPath, { tone: "warning", text: `No backup can be made: ${unavailable}.` });
  if (isRunning) return redirect(systemPath, { tone: "warning", text: "A backup is being made already." });
  // The status and the log report a failure.
  void backups.make({ by }).catch(() => {});
  return redirect(systemPath, "The backup has started. This page shows when it is completed.");
}
