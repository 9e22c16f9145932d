import type { ConsoleSession } from "../../../access/console/sessions.ts";
import type { Readiness } from "../../../api/site/health.ts";
import type { Recipient } from "../../../deliveries/recipients.ts";
import { isDisabledForFailing } from "../../../deliveries/rules/recipient-state.ts";
import type { Config } from "../../../config/config.ts";
import { describeEffective, type Origin, type Setting } from "../../../config/effective.ts";
import type { Database } from "../../../database/database.ts";
import type { DatabaseStatus } from "../../../database/health/health.ts";
import { toIsoTime, type Instant } from "../../../lib/clock.ts";
import { bytesText } from "../../../lib/durations.ts";
import { Facts, PageHead, Section, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { download, page } from "../../kit/page-result.ts";
import { deliveriesToPath, recipientPath, signOutEverywherePath, systemPath } from "../../kit/paths.ts";
import { Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

/** Maximum number of entries listed in one value. */
const listedMax = 20;

export function showSystem({
  services,
  now,
}: Context<
  "build" | "config" | "databaseStatus" | "storage" | "publicUrl" | "readiness" | "sessions" | "deliveries"
>) {
  const { build, deliveries, readiness, sessions, storage } = services;
  return page(
    "System",
    <>
      <PageHead
        title="System"
        lead="Health, version, database, sessions, and configuration of this appliance."
      />
      <Health readiness={readiness()} recipients={deliveries.recipients.listAll()} />
      <Section title="Version">
        <Facts
          facts={[
            ["phishwatch", build.version],
            ["Commit", <code>{build.commit}</code>],
            ["Bun", build.bunVersion],
            ["Public URL", <Text text={services.publicUrl()} />],
          ]}
        />
      </Section>
      <Section title="Database">
        <Facts
          facts={[
            ["File", <Text text={storage.path} charactersMax={1_000} />],
            ["Size", sizeText(storage)],
            ["Disk", services.databaseStatus().disk?.text ?? "unknown"],
            ["Last check of the file", <QuickCheckText status={services.databaseStatus()} />],
            ["Last error", <LastErrorText status={services.databaseStatus()} />],
          ]}
        />
        <div class="after">
          <PostButton action={`${systemPath}/backup`} label="Download a backup" />
          <p class="hint after">
            A consistent copy of the current state. It includes all secrets, such as those of channels and
            webhook endpoints: protect it like the database. <code>phishwatch restore FILE</code> restores it.
          </p>
        </div>
      </Section>
      <ActiveSessions sessions={sessions.list()} now={now} />
      <Configuration source={services.config.source} publicUrl={services.publicUrl()} />
    </>,
  );
}

function Health({
  readiness: { ready, checks },
  recipients,
}: {
  readiness: Readiness;
  recipients: readonly Recipient[];
}) {
  const failing = recipients.filter(({ enabled, disabledReason, consecutiveFailures }) =>
    enabled ? consecutiveFailures > 0 : isDisabledForFailing(disabledReason),
  );
  return (
    <Section title="Health">
      <p>{ready ? <StateMark tone="good">ready</StateMark> : <StateMark tone="bad">not ready</StateMark>}</p>
      <Facts
        facts={[
          ["Database", <Check text={checks.database} />],
          ["Disk", <Check text={checks.disk} />],
          ["Schedulers", <Check text={checks.schedulers} />],
          [
            "Endpoints and channels",
            failing.length === 0 ? (
              <Check text="ok" />
            ) : (
              <>
                <StateMark tone="bad">{failing.length} failing</StateMark>{" "}
                {failing.slice(0, listedMax).map((recipient, index) => (
                  <>
                    {index === 0 ? "" : ", "}
                    <a href={recipientPath(recipient) ?? deliveriesToPath(recipient)}>
                      <Text text={recipient.name} />
                    </a>
                  </>
                ))}
              </>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function QuickCheckText({ status: { quickCheck } }: { status: DatabaseStatus }) {
  if (quickCheck === null) return <>none yet; it runs once a day, when the appliance is idle</>;
  return (
    <>
      <Check text={quickCheck.result} /> <Time at={quickCheck.at} relative />
    </>
  );
}

function LastErrorText({ status: { lastError } }: { status: DatabaseStatus }) {
  if (lastError === null) return <>none</>;
  return (
    <>
      <Time at={lastError.at} relative />: <Text text={lastError.text} charactersMax={1_000} />{" "}
      <code>{lastError.code}</code>
    </>
  );
}

function ActiveSessions({ sessions, now }: { sessions: readonly ConsoleSession[]; now: Instant }) {
  return (
    <Section title="Active sessions">
      <Table
        caption="Active sessions"
        rows={sessions}
        empty="None."
        columns={[
          { title: "Address", cell: ({ address }) => address ?? "unknown" },
          {
            title: "Browser",
            layout: "wide",
            cell: ({ userAgent }) => <Text text={userAgent} charactersMax={150} />,
          },
          {
            title: "Signed in",
            layout: "tight",
            cell: ({ createdAt }) => <Time at={createdAt} relative />,
          },
          {
            title: "Last seen",
            layout: "tight",
            cell: ({ lastSeenAt }) => <Time at={Math.min(lastSeenAt, now)} relative />,
          },
        ]}
      />
      <div class="after">
        <PostButton action={signOutEverywherePath} label="Sign out everywhere" />
      </div>
    </Section>
  );
}

function Check({ text }: { text: string }) {
  return text === "ok" ? (
    <StateMark tone="good">ok</StateMark>
  ) : (
    <>
      <StateMark tone="bad">error</StateMark> <Text text={text} charactersMax={1_000} />
    </>
  );
}

function Configuration({ source, publicUrl }: { source: Config["source"]; publicUrl: string }) {
  if (source === undefined)
    return (
      <Section title="Configuration">
        <p>No configuration file is in use.</p>
      </Section>
    );
  const { settings, entries } = describeEffective(source);
  const columns: Column<Setting>[] = [
    { title: "Key", layout: "tight", cell: ({ path: key }) => <code>{key}</code> },
    {
      title: "Value",
      layout: "wide",
      cell: (setting) => <SettingValue setting={setting} publicUrl={publicUrl} />,
    },
    { title: "Origin", layout: "tight", cell: ({ origin }) => <OriginText origin={origin} /> },
    { title: "Description", cell: ({ description }) => <span class="hint">{description}</span> },
  ];
  return (
    <Section title="Configuration">
      <p>
        Read from <Text text={source.path} charactersMax={1_000} /> at startup. To change it, edit the file
        and restart.
      </p>
      <Table caption="Settings" columns={columns} rows={settings} empty="" />
      <h3 class="after">Entries</h3>
      <Facts
        facts={entries.map(({ path: key, lines }) => [
          `[[${key}]]`,
          lines.length === 0
            ? "none"
            : `${lines.length} (${lines.length === 1 ? "line" : "lines"} ${lines.slice(0, listedMax).join(", ")}${lines.length > listedMax ? ", …" : ""})`,
        ])}
      />
    </Section>
  );
}

function SettingValue({ setting, publicUrl }: { setting: Setting; publicUrl: string }) {
  const { path: key, value, isSet, origin } = setting;
  if (value === null) return <span class="hint">{isSet ? "set, hidden" : "not set"}</span>;
  // The default is derived from the listening address.
  if (key === "server.public_url" && origin.kind === "default")
    return <Text text={JSON.stringify(publicUrl)} />;
  return (
    <code>
      <Text text={value} charactersMax={500} />
    </code>
  );
}

function OriginText({ origin }: { origin: Origin }) {
  switch (origin.kind) {
    case "default":
      return <span class="hint">default</span>;
    case "file":
      return <>line {origin.line}</>;
    case "environment":
      return (
        <>
          environment <Text text={origin.name} charactersMax={60} /> (line {origin.line})
        </>
      );
    case "secret_file":
      return (
        <>
          file <Text text={origin.path} charactersMax={60} /> (line {origin.line})
        </>
      );
  }
}

function sizeText(storage: Pick<Database, "path" | "bytesOnDisk">): string {
  const bytes = storage.bytesOnDisk();
  if (bytes === undefined) return "in memory";
  return `${bytesText(bytes.file)} and ${bytesText(bytes.log)} in the write-ahead log`;
}

export async function downloadBackup({ services, by, now }: Context<"backups">) {
  const { stream } = await services.backups.create({ by });
  const moment = toIsoTime(now).slice(0, 16).replace(/[:T]/g, "-");
  return download(`phishwatch-${moment}.db`, "application/vnd.sqlite3", stream);
}
