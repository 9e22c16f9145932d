import type { ConsoleSession } from "../../../../access/console/sessions.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/inline.tsx";
import { column, Table, type Column } from "../../kit/table.tsx";

const userAgentShownMax = 300;

/** Active sessions of one account. */
export function SessionTable(props: {
  sessions: readonly ConsoleSession[];
  /** `seq` of the reader's session. */
  own: number;
  now: Instant;
  /** Address that ends one session; absent: they can only be ended together. */
  endPath?: (seq: number) => string;
}) {
  const { sessions, own, now, endPath } = props;
  const columns: Column<ConsoleSession>[] = [
    column("Browser", "title", ({ seq, userAgent }) => (
      <span title={visible(userAgent, userAgentShownMax)}>
        {browserName(userAgent)}
        {seq === own ? <span class="hint"> this session</span> : null}
      </span>
    )),
    column("Address", "under", ({ address }) => <Text text={address ?? "unknown"} />),
    column("Signed in", "tight hidden", ({ createdAt }) => <Time at={createdAt} relative />),
    column("Last seen", "tight end", ({ lastSeenAt }) => <Time at={Math.min(lastSeenAt, now)} relative />),
  ];
  const actions: Column<ConsoleSession> = column(
    <span class="vh">Actions</span>,
    "number state",
    ({ seq }) =>
      endPath === undefined || seq === own ? null : <PostButton action={endPath(seq)} label="End" small />,
  );
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      columns={endPath === undefined ? columns : [...columns, actions]}
      empty="Not signed in."
    />
  );
}

/** Browsers by what only they send; those that also claim to be another one come first. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly [name: string, pattern: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["macOS", /\bMac OS X\b/],
  ["Windows", /\bWindows NT\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Names a browser and its system, as its user agent claims: `Firefox 145 on Linux`. */
export function browserName(userAgent: string): string {
  const found = browsers.flatMap(([name, pattern]) => {
    const version = pattern.exec(userAgent)?.[1];
    return version === undefined ? [] : [`${name} ${version.slice(0, 4)}`];
  });
  const browser = found[0] ?? "Unknown browser";
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
