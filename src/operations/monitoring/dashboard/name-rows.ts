import { metrics } from "../catalogue/metrics.ts";
import { own, rate, type Row } from "./panel.ts";

/** Rows about what people work with: threats, sources and deliveries. */
export const nameRows: readonly Row[] = [
  {
    title: "Overview",
    panels: [
      {
        title: "Ready",
        description: "1 while /readyz returns 200.",
        kind: "stat",
        unit: "none",
        queries: [{ expr: own(metrics.ready), legend: "ready" }],
      },
      {
        title: "Conditions",
        description: "Conditions that hold now, such as a stopped source. 0 is good.",
        kind: "stat",
        unit: "none",
        queries: [{ expr: `sum(${own(metrics.conditions)})`, legend: "conditions" }],
      },
      {
        title: "Active threats",
        description: "Threats that nobody has decided, by severity.",
        kind: "stat",
        unit: "none",
        queries: [
          {
            expr: `sum by (severity) (${own(metrics.threats, { status: "active" })})`,
            legend: "{{severity}}",
          },
        ],
        emptyBecause: "no threat is active",
      },
      {
        title: "Warnings and errors in the log",
        description: "By event; the manual page Log says what to do for each.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.logEvents, ["event"]), legend: "{{event}}" }],
        emptyBecause: "nothing has gone wrong",
      },
    ],
  },
  {
    title: "Threats",
    panels: [
      {
        title: "New threats by source",
        description: "New threats per second, by where their names came from.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.sourceThreats, ["kind", "source"]), legend: "{{kind}} {{source}}" }],
        emptyBecause: "no names have arrived yet",
      },
      {
        title: "Active threats by protected domain",
        description: "The ten domains with most active threats.",
        kind: "table",
        unit: "none",
        queries: [{ expr: `topk(10, ${own(metrics.threatsByDomain)})`, legend: "{{protected_domain}}" }],
        emptyBecause: "no threat is active",
      },
      {
        title: "Threats by status",
        description: "Threats on record.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: `sum by (status) (${own(metrics.threats)})`, legend: "{{status}}" }],
        emptyBecause: "no threat is on record",
      },
      {
        title: "Visits to traps",
        description: "Visits to beacons and honeytokens per second, by outcome.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.trapVisits, ["outcome"]), legend: "{{outcome}}" }],
      },
    ],
  },
  {
    title: "Sources",
    panels: [
      {
        title: "Names by source",
        description: "Names that arrived per second.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.names, ["kind", "source"]), legend: "{{kind}} {{source}}" }],
        emptyBecause: "no names have arrived yet",
      },
      {
        title: "State of sources",
        description: "0 for a source that has a problem or is paused.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.sourceOk), legend: "{{kind}} {{source}}" }],
        emptyBecause: "no source is declared",
      },
      {
        title: "Time since names last arrived",
        description: "By source. Compare it with how often the source usually delivers.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: `time() - ${own(metrics.lastName)}`, legend: "{{kind}} {{source}}" }],
        emptyBecause: "no names have arrived yet",
      },
      {
        title: "Lag of certificate logs",
        description: "Time since everything was read. It should return to 0.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: own(metrics.logLag), legend: "{{log}}" }],
        emptyBecause: "no certificate log is followed",
      },
    ],
  },
  {
    title: "Inspections",
    panels: [
      {
        title: "Inspections by outcome",
        description:
          "Pages that were compared with yours, and addresses that could not be fetched, per second.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.inspections, ["outcome"]), legend: "{{outcome}}" }],
      },
      {
        title: "Addresses that wait",
        description: "By who wants the inspection.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.inspectionsWaiting), legend: "{{priority}}" }],
      },
      {
        title: "Daily budget",
        description: "Attempts on this day (UTC), and inspection.per_day.",
        kind: "timeseries",
        unit: "none",
        queries: [
          { expr: own(metrics.inspectionsToday), legend: "today" },
          { expr: own(metrics.inspectionsPerDay), legend: "limit" },
        ],
      },
    ],
  },
  {
    title: "Takedowns",
    panels: [
      {
        title: "Takedowns that need a person",
        description: "Reports that were not delivered, follow-ups that are due, and sites that are up again.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.takedownAttention), legend: "{{reason}}" }],
      },
      {
        title: "Oldest report that waits to be sent",
        description: "It should return to 0 within a minute.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: own(metrics.reportOldestQueued), legend: "age" }],
      },
      {
        title: "Campaigns behind",
        description:
          "Time for which campaigns have not been in step with the threats. It should return to 0.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: own(metrics.campaignsBehind), legend: "behind" }],
      },
      {
        title: "Deleted by the retention",
        description: "Threats, screenshots and audit entries per second, by setting.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.retentionDeleted, ["setting"]), legend: "{{setting}}" }],
      },
    ],
  },
  {
    title: "Deliveries",
    panels: [
      {
        title: "Attempts",
        description: "Attempts per second, by recipient and result.",
        kind: "timeseries",
        unit: "cps",
        queries: [
          { expr: rate(metrics.attempts, ["recipient", "result"]), legend: "{{recipient}} {{result}}" },
        ],
        emptyBecause: "there is no recipient",
      },
      {
        title: "Pending deliveries",
        description: "Deliveries that wait for their next attempt, by recipient.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.deliveries, { status: "pending" }), legend: "{{recipient}}" }],
        emptyBecause: "nothing is pending",
      },
      {
        title: "Oldest pending delivery",
        description: "Its age, by recipient. It should be seconds.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: own(metrics.oldestWaiting), legend: "{{recipient}}" }],
        emptyBecause: "there is no recipient",
      },
      {
        title: "Recipients that fail",
        description: "Recipients in the state failing, held or disabled, with the last failure.",
        kind: "table",
        unit: "none",
        queries: [
          {
            expr: own(metrics.recipientState, { state: { matches: "failing|held|disabled" } }),
            legend: "{{recipient}} {{state}} {{failure}}",
          },
        ],
        emptyBecause: "all recipients work",
      },
    ],
  },
];
