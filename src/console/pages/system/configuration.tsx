import type { Config } from "../../../config/config.ts";
import { describeEffective, type Entries, type Origin, type Setting } from "../../../config/effective.ts";
import { counted } from "../../../lib/wording.ts";
import { Card } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { Table, type Column } from "../../kit/table.tsx";

/** Maximum number of entries listed in one value. */
const listedMax = 20;

/** Every setting with its value, its origin and its meaning, one table of the file at a time. */
export function Configuration({ source, publicUrl }: { source: Config["source"]; publicUrl: string }) {
  if (source === undefined) return <Card title="Configuration">No configuration file is in use.</Card>;
  const { settings, entries } = describeEffective(source);
  const columns: Column<Setting>[] = [
    {
      title: "Setting",
      cell: ({ path, description }) => (
        <>
          <code>{path.slice(path.indexOf(".") + 1)}</code>
          <p>{description}</p>
        </>
      ),
    },
    {
      title: "Value",
      layout: "wide",
      cell: (setting) => <SettingValue setting={setting} publicUrl={publicUrl} />,
    },
    { title: "Origin", layout: "tight", fold: "end", cell: ({ origin }) => <OriginText origin={origin} /> },
  ];
  return (
    <Card
      title="Configuration"
      aside={
        <span class="faint">
          <a href="/docs/configure">Manual</a>
        </span>
      }
    >
      <div class="stack">
        <p>
          Read from <Text text={source.path} charactersMax={1_000} /> at startup and after each change. To
          change it, edit the file.{" "}
          <a href="/docs/configure#change-the-configuration">How a change is applied</a>
        </p>
        {[...Map.groupBy(settings, ({ path }) => path.slice(0, path.indexOf(".")))].map(([table, group]) => (
          <details class="more">
            <summary>
              <code>[{table}]</code> <span class="hint">{summaryOf(group)}</span>
            </summary>
            <div>
              <Table caption={`Settings of ${table}`} columns={columns} rows={group} empty="" />
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
