import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { Bars } from "../../src/web/console/charts/bars.tsx";
import { Columns } from "../../src/web/console/charts/columns.tsx";
import { HeatKey, HeatMap } from "../../src/web/console/charts/heat-map.tsx";
import { Sparkline } from "../../src/web/console/charts/sparkline.tsx";
import { SeverityKey, SplitBar, SplitNumbers } from "../../src/web/console/charts/split-bar.tsx";
import {
  Card,
  Copyable,
  DeclaredMark,
  Facts,
  PageHead,
  Progress,
  Time,
  Note,
} from "../../src/web/console/kit/components.tsx";
import { Help, Menu } from "../../src/web/console/kit/disclosure.tsx";
import {
  Button,
  Checkbox,
  Choices,
  Select,
  TextArea,
  TextField,
  type ButtonLook,
} from "../../src/web/console/kit/form.tsx";
import icons from "../../src/web/console/kit/icons.json" with { type: "json" };
import { Icon, StateMark, Tag, type IconName } from "../../src/web/console/kit/inline.tsx";
import { noPage, type PageContext } from "../../src/web/console/kit/page-context.ts";
import { column, Empty, Pagination, Table } from "../../src/web/console/kit/table.tsx";
import { createReaderTimes } from "../../src/web/console/kit/times.ts";
import type { Assets } from "../../src/web/console/shell/assets.ts";
import { Frame } from "../../src/web/console/shell/layout.tsx";
import { ComparedName } from "../../src/web/console/threat-kit/compared-name.tsx";
import { LifecycleLine } from "../../src/web/console/threat-kit/lifecycle-line.tsx";
import { ReasonTags } from "../../src/web/console/threat-kit/reasons.tsx";
import {
  SeverityMark,
  StatusMark,
  Thumbnail,
  SiteMark,
} from "../../src/web/console/threat-kit/threat-marks.tsx";
import type { LifecycleEvent } from "../../src/facts/enrichment/facts/lifecycle.ts";
import { severities, statuses } from "../../src/platform/vocabulary/threats.ts";

const now = Date.UTC(2026, 0, 15, 8, 42);
const minuteMs = 60_000;
const siteStates = ["unregistered", "registered", "parked", "up", "blocked", "down", "back", null] as const;

/** All components of the console in every state, as one page. `scripts/screenshots --components` captures it. */
export function componentsPage(assets: Assets): string {
  const context: PageContext = {
    ...noPage,
    now,
    iconsPath: assets.iconsPath,
    reader: { ...noPage.reader, timeZone: "Europe/Berlin", times: createReaderTimes("Europe/Berlin") },
    may: () => true,
    mayOpen: () => true,
  };
  const document = (
    <Frame title="Components" assets={assets} theme="auto" context={context}>
      <main id="content">
        <div class="wide stack">
          <PageHead title="Components" lead="Every component of the console in every state." />
          {parts.map(([title, content]) => (
            <Card title={title}>{content}</Card>
          ))}
        </div>
      </main>
    </Frame>
  );
  return `<!doctype html>\n${renderToString(document)}`;
}

const looks: ButtonLook[] = [
  { variant: "primary" },
  {},
  { variant: "plain" },
  { variant: "danger" },
  { variant: "sure" },
];

const name = (domain: string) => <ComparedName domain={domain} protectedDomain="example-bank.com" />;

const rows = [
  { what: "siem-eu", state: "good" as const, text: "Healthy", count: 1204, at: now - 4 * minuteMs },
  { what: "soc-bridge", state: "bad" as const, text: "Failing", count: 38, at: now - 90 * minuteMs },
  {
    what: "ticket system",
    state: "neutral" as const,
    text: "Disabled",
    count: 0,
    at: now - 3 * 24 * 60 * minuteMs,
  },
];

const events: LifecycleEvent[] = ["registered", "certificate", "first_seen", "page_up", "mail_server"];
const steps = events.map((event, index) => ({ event, at: now - (90 - index * 17) * 60 * minuteMs }));

const parts: readonly [string, ComponentChildren][] = [
  [
    "Buttons",
    <div class="stack">
      {[{}, { icon: "check" as const }, { dataKey: "r" }, { small: true }].map((more) => (
        <div class="line">
          {looks.map((look) => (
            <Button label="Resolve" {...look} {...more} />
          ))}
          <button type="button" class="btn" disabled>
            Disabled
          </button>
        </div>
      ))}
      <div class="line">
        <span class="join">
          <button type="button" class="btn small" aria-pressed="true" aria-label="List">
            <Icon name="list" />
          </button>
          <button type="button" class="btn small" aria-pressed="false" aria-label="Gallery">
            <Icon name="grid" />
          </button>
        </span>
        <Menu>
          <li>
            <a href="#content">
              <Icon name="download" />
              Download evidence
            </a>
          </li>
          <li>
            <a href="#content" class="danger">
              Remove
            </a>
          </li>
        </Menu>
        <Help topic="similarity" />
      </div>
    </div>,
  ],
  [
    "Fields",
    <form class="narrow">
      <TextField
        label="URL"
        name="url"
        placeholder="https://soc.example/hooks/phishwatch"
        hint="Only HTTPS."
      />
      <TextField label="Name" name="name" value="soc bridge" error="Another endpoint has this name." />
      <Select
        label="Severity"
        name="severity"
        value="high"
        choices={severities.map((value) => ({ value, label: value }))}
      />
      <TextArea label="Note" name="note" value="Customer support has two calls about this page." />
      <Choices
        label="Events"
        name="events"
        values={["threat.created"]}
        choices={[
          { value: "threat.created", label: "threat.created", hint: "A threat was recorded." },
          { value: "threat.updated", label: "threat.updated", hint: "The status of a threat changed." },
        ]}
      />
      <Choices
        single
        label="Domains"
        name="domains"
        values={["all"]}
        choices={[
          { value: "all", label: "All" },
          { value: "some", label: "Only these" },
        ]}
      />
      <Checkbox label="Send a test event after saving" name="test" checked />
    </form>,
  ],
  [
    "Severity, status and state",
    <div class="stack">
      <div class="line">
        {severities.flatMap((severity) =>
          [true, false].map((verified) => <SeverityMark severity={severity} verified={verified} />),
        )}
      </div>
      <div class="line">
        {statuses.map((status) => (
          <StatusMark status={status} />
        ))}
        {siteStates.map((site) => (
          <SiteMark site={site} />
        ))}
        <Thumbnail threat={{ id: "" }} capturedAt={null} />
        {(["good", "warn", "bad", "neutral", "live"] as const).map((tone) => (
          <StateMark tone={tone}>{tone}</StateMark>
        ))}
      </div>
      <div class="line">
        <Tag tone="high" title="The page has a field for a password.">
          Asks for a password
        </Tag>
        <Tag tone="medium">Registered 2 days ago</Tag>
        <Tag>low</Tag>
        <Tag tone="good">good</Tag>
        <Tag tone="accent">accent</Tag>
        <Tag tone="dashed">unverified</Tag>
        <DeclaredMark />
      </div>
    </div>,
  ],
  [
    "Reasons",
    <div class="stack">
      <ReasonTags
        reasons={[
          { code: "asks_for_secrets", params: { password: true, card: false } },
          { code: "looks_like_original", params: {} },
          { code: "receives_mail", params: {} },
          { code: "newly_registered", params: { days: 2, on: "2026-01-13" } },
          { code: "parked", params: { with: "Sedo" } },
        ]}
      />
    </div>,
  ],
  [
    "Rows",
    <ul class="rows">
      {["row", "row open", "row decided"].map((look) => (
        <li class={look}>
          <input type="checkbox" aria-label="Select" />
          <SeverityMark severity="high" word={false} />
          <Thumbnail threat={{ id: "thr_1" }} capturedAt={null} />
          <div class="main">
            <div>
              <a class="go" href="#content">
                {name("examp1e-bank.com")}
              </a>
            </div>
            <p>Asks for a password · Homograph of example-bank.com</p>
          </div>
          <SiteMark site="up" />
          <Time at={now - 90 * minuteMs} relative="short" />
        </li>
      ))}
    </ul>,
  ],
  [
    "Lifecycle",
    <div class="stack">
      <LifecycleLine name="examp1e-bank.com" status="active" lifecycle={{ steps, isOpen: true }} />
      <LifecycleLine name="examp1e-bank.com" status="active" lifecycle={{ steps, isOpen: true }} narrow />
    </div>,
  ],
  [
    "Charts",
    <div class="stack">
      <div class="line">
        <Sparkline label="New threats" values={[0, 2, 1, 0, 4, 3, 8, 2]} />
        <Sparkline label="Nothing" values={[0, 0, 0, 0, 0, 0, 0, 0]} />
      </div>
      <SeverityKey />
      <SplitBar counts={{ high: 13, medium: 6, low: 3 }} />
      <SplitNumbers counts={{ high: 13, medium: 6, low: 3 }} />
      <Bars
        caption="To decide, by age"
        rows={[
          { label: "Under 1 hour", value: 5, path: "#content" },
          { label: "1 to 24 hours", value: 0 },
          { label: "Over 7 days", value: 41, tone: "medium" },
        ]}
      />
      <HeatKey />
      <HeatMap
        caption="New threats by week"
        rowHeading="Protected domain"
        columns={["22 Dec", "29 Dec", "5 Jan", "12 Jan"]}
        rows={[
          {
            label: "example-bank.com",
            values: [0, 3, 17, 34],
            cell: () => ({ path: "#content", label: "New threats" }),
          },
          {
            label: "samplix.org",
            values: [1, 0, 8, 25],
            cell: () => ({ path: "#content", label: "New threats" }),
          },
        ]}
      />
      <Columns
        label="Median time to decide"
        headings={["Week", "Median"]}
        columns={[120, 95, null, 40, 38].map((value, index) => ({ label: `${index + 1} Jan`, value }))}
        ticks={[60, 120]}
        format={(value) => `${value} min`}
        formatTick={(value) => `${value / 60} h`}
      />
    </div>,
  ],
  [
    "Names",
    <div class="stack">
      {[
        "examp1e-bank.com",
        "example-bank-secure.com",
        "exampe-bank.com",
        "xn--xample-bank-x9a.com",
        "example-bank.net",
      ].map((domain) => (
        <p>{name(domain)}</p>
      ))}
    </div>,
  ],
  [
    "Notes",
    <div class="stack">
      {(["info", "good", "warn", "bad"] as const).map((tone) => (
        <Note
          tone={tone}
          title="soc-bridge has failed since 07:12."
          action={<Button label="Send all 38 again" small />}
        >
          It returns 503 Service Unavailable. 38 deliveries are queued.
        </Note>
      ))}
      <div class="toast">
        <span>Resolved examp1e-bank.com.</span>
        <Button label="Undo" small dataKey="u" />
      </div>
    </div>,
  ],
  [
    "Tables",
    <div class="stack">
      <Table<(typeof rows)[number]>
        caption="Endpoints"
        empty="No endpoints."
        rows={rows}
        columns={[
          column("Name", "title", ({ what }) => <a href="#content">{what}</a>),
          column("State", "state", ({ state, text }) => <StateMark tone={state}>{text}</StateMark>),
          column("Deliveries", "number under", ({ count }) => count.toLocaleString("en-US")),
          column("Last", "number end", ({ at }) => <Time at={at} relative="short" />),
        ]}
      />
      <Pagination page={2} perPage={50} total={1_204} path="#content" query={new URLSearchParams()} />
      <Table
        caption="Nothing"
        empty="No deliveries yet."
        rows={[]}
        columns={[column("Name", "title", () => "")]}
      />
    </div>,
  ],
  [
    "Facts",
    <Facts
      facts={[
        ["Registrar", "Pacific Registrar Inc."],
        ["Host", <code>198.51.100.77</code>],
        ["Registered", <Time at={now - 2 * 24 * 60 * minuteMs} relative />],
        ["Expires", <Time at={now + 363 * 24 * 60 * minuteMs} />],
      ]}
    />,
  ],
  [
    "Progress, copying, empty",
    <div class="stack">
      <Progress done={380} total={1_000} label="names checked" />
      <Copyable text="pw_czQhvzHil1w8PyLdHSo8VFDCOihE2jmO25hODo" label="the key" secret />
      <Empty title="No threats to decide" action={<Button label="Start a scan" />}>
        The last scan ended 5 hours ago.
      </Empty>
    </div>,
  ],
  [
    "Icons",
    <div class="line">
      {Object.keys(icons).map((icon) => (
        <span class="tag">
          <Icon name={icon as IconName} />
          {icon}
        </span>
      ))}
    </div>,
  ],
];
