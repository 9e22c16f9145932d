import type { Config } from "../../../../platform/config/config.ts";
import {
  describeEffective,
  type Entries,
  type Origin,
  type Setting,
} from "../../../../platform/config/effective.ts";
import type { ReloadOutcome } from "../../../../platform/reload/reload.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Card, Facts, Time } from "../../kit/components.tsx";
import { StateMark, Tag, Text } from "../../kit/inline.tsx";
import { column, Table, type Column } from "../../kit/table.tsx";

/** Maximum number of entries, and of lines of a reload, that are listed. */
const listedMax = 20;
/** Maximum length of a line of a reload. */
const charactersMax = 1_000;

/** Every setting with its value, its origin and its meaning, one table of the file at a time. */
export function Configuration(props: {
  source: Config["source"];
  publicUrl: string;
  /** Undefined: none since the start. */
  lastReload: ReloadOutcome | undefined;
}) {
  const { source, publicUrl, lastReload } = props;
  if (source === undefined) return <Card title="Configuration">No configuration file is in use.</Card>;
  const { settings, entries } = describeEffective(source);
  const pending = new Set(lastReload?.restart);
  const columns: Column<Setting>[] = [
    column("Setting", "title", ({ path, description, needsRestart }) => (
      <>
        <code>{path.slice(path.indexOf(".") + 1)}</code>
        <p>
          {description}
          {needsRestart ? "; a change needs a restart" : ""}
        </p>
      </>
    )),
    column("Value", "wide state", (setting) => (
      <>
        <SettingValue setting={setting} publicUrl={publicUrl} />
        {pending.has(setting.path) ? (
          <>
            {" "}
            <Tag tone="medium">after a restart</Tag>
          </>
        ) : null}
      </>
    )),
    column("Origin", "tight end", ({ origin }) => <OriginText origin={origin} />),
  ];
  return (
    <Card title="Configuration" aside={<a href="/docs/configure#all-settings">All settings</a>}>
      <div class="stack">
        <Facts
          facts={[
            ["File", <Text text={source.path} charactersMax={1_000} />],
            ["Last reload", <LastReload outcome={lastReload} />],
          ]}
        />
        <p class="hint">
          To change a setting, edit the file. The server applies a valid file within seconds, except for the
          settings that need a restart. <a href="/docs/configure#change-the-configuration">Manual</a>
        </p>
        {[...Map.groupBy(settings, ({ path }) => path.slice(0, path.indexOf(".")))].map(([table, group]) => (
          <details class="more">
            <summary>
              <code>[{table}]</code> <span class="hint">{summaryOf(group)}</span>
            </summary>
            <div>
              <Table caption={`Settings of ${table}`} columns={columns} rows={group} />
            </div>
          </details>
        ))}
        {entries.map((entry) => (
          <EntriesOf entry={entry} />
        ))}
      </div>
    </Card>
  );
}

/** The outcome of the last reload: what was applied, what needs a restart, or the errors. */
function LastReload({ outcome }: { outcome: ReloadOutcome | undefined }) {
  if (outcome === undefined) return <>none since the start</>;
  const { applied, endedAt, errors, restart, result } = outcome;
  if (result === "failed")
    return (
      <>
        <StateMark tone="bad">failed</StateMark> <Time at={endedAt} relative />. Nothing was changed.
        <Lines lines={errors} />
      </>
    );
  return (
    <>
      <StateMark tone="good">{result === "applied" ? "applied" : "nothing to apply"}</StateMark>{" "}
      <Time at={endedAt} relative />
      <Lines lines={applied} />
      {restart.length === 0 ? null : (
        <p>
          Needs a restart: <Text text={restart.join(", ")} charactersMax={charactersMax} />
        </p>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <>
      {lines.slice(0, listedMax).map((line) => (
        <p>
          <Text text={line} charactersMax={charactersMax} />
        </p>
      ))}
      {lines.length > listedMax ? (
        <p>… {counted(lines.length - listedMax, "more line")}; see the log.</p>
      ) : null}
    </>
  );
}

function summaryOf(settings: readonly Setting[]): string {
  const changed = settings.filter(({ origin }) => origin.kind !== "default").length;
  return `${counted(settings.length, "setting")}, ${changed === 0 ? "all with their defaults" : `${changed} set`}`;
}

function EntriesOf({ entry: { path, description, lines } }: { entry: Entries }) {
  const shown = `${lines.slice(0, listedMax).join(", ")}${lines.length > listedMax ? ", …" : ""}`;
  return (
    <p>
      <code>[[{path}]]</code>{" "}
      <span class="hint">
        {lines.length === 0
          ? "no entries"
          : `${counted(lines.length, "entry", "entries")}, ${lines.length === 1 ? "line" : "lines"} ${shown}`}
        . {description}
      </span>
    </p>
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
    case "credential":
      return (
        <>
          credential <Text text={origin.name} charactersMax={60} /> (line {origin.line})
        </>
      );
    case "command_line":
      return <code>{origin.option}</code>;
  }
}
