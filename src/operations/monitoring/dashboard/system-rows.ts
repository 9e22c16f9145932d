import { metrics } from "../catalogue/metrics.ts";
import { histogramSeries } from "../rules/promql.ts";
import { chosen, own, rate, type Row } from "./panel.ts";

const requestBuckets = histogramSeries(metrics.httpDurations, "bucket", chosen);
const lookupSum = histogramSeries(metrics.lookupDurations, "sum", chosen);
const lookupCount = histogramSeries(metrics.lookupDurations, "count", chosen);

/** Rows about the machinery: scans, requests, the database and the process. */
export const systemRows: readonly Row[] = [
  {
    title: "Scans and lookups",
    panels: [
      {
        title: "Last scan",
        description: "Time since the last scan was completed.",
        kind: "stat",
        unit: "s",
        queries: [{ expr: `time() - ${own(metrics.scanLastCompleted)}`, legend: "age" }],
        emptyBecause: "no scan has completed yet",
      },
      {
        title: "Resolvers",
        description: "DNS resolvers by verdict. At least one has to be honest.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.resolvers), legend: "{{verdict}}" }],
        emptyBecause: "the resolvers have not been checked yet",
      },
      {
        title: "Lookups",
        description: "Lookups for threats per second, by kind and result.",
        kind: "timeseries",
        unit: "cps",
        queries: [{ expr: rate(metrics.lookups, ["lookup", "result"]), legend: "{{lookup}} {{result}}" }],
      },
      {
        title: "Mean duration of lookups",
        description: "By kind, with the time in which they wait for their turn.",
        kind: "timeseries",
        unit: "s",
        queries: [
          {
            expr: `sum by (lookup) (rate(${lookupSum}[$__rate_interval])) / sum by (lookup) (rate(${lookupCount}[$__rate_interval]))`,
            legend: "{{lookup}}",
          },
        ],
      },
      {
        title: "Lookups due",
        description: "Threats that wait for a lookup.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: own(metrics.lookupQueue), legend: "{{lookup}}" }],
      },
    ],
  },
  {
    title: "Requests",
    panels: [
      {
        title: "Requests",
        description: "Requests per second, by status.",
        kind: "timeseries",
        unit: "reqps",
        queries: [{ expr: rate(metrics.httpRequests, ["status"]), legend: "{{status}}" }],
      },
      {
        title: "Duration of requests",
        description: "Time within which half and 99 % of the responses were ready.",
        kind: "timeseries",
        unit: "s",
        queries: [0.5, 0.99].map((quantile) => ({
          expr: `histogram_quantile(${quantile}, sum by (le) (rate(${requestBuckets}[$__rate_interval])))`,
          legend: `${quantile * 100} %`,
        })),
      },
      {
        title: "Console",
        description: "Sessions, and failed attempts to sign in within 10 minutes.",
        kind: "timeseries",
        unit: "none",
        queries: [
          { expr: own(metrics.sessions), legend: "sessions" },
          { expr: `increase(${own(metrics.failedSignIns)}[10m])`, legend: "failed sign-ins" },
        ],
      },
    ],
  },
  {
    title: "Database",
    panels: [
      {
        title: "Size",
        description: "Database, write-ahead log, screenshots and archive.",
        kind: "timeseries",
        unit: "bytes",
        queries: [
          { expr: own(metrics.databaseBytes), legend: "{{file}}" },
          { expr: own(metrics.screenshotBytes), legend: "screenshots" },
          { expr: own(metrics.archiveBytes), legend: "archive" },
        ],
      },
      {
        title: "Free space on the disk",
        description: "Make room before it falls below 512 MiB.",
        kind: "timeseries",
        unit: "bytes",
        queries: [{ expr: own(metrics.diskFree), legend: "free" }],
      },
      {
        title: "Writes",
        description: "Writes per second, and their mean wait for a commit in seconds.",
        kind: "timeseries",
        unit: "none",
        queries: [
          { expr: `rate(${own(metrics.writes)}[$__rate_interval])`, legend: "writes per second" },
          {
            expr: `rate(${own(metrics.writeWait)}[$__rate_interval]) / rate(${own(metrics.writes)}[$__rate_interval])`,
            legend: "mean wait",
          },
        ],
      },
      {
        title: "Last backup",
        description: "Time since the last backup was completed.",
        kind: "stat",
        unit: "s",
        queries: [{ expr: `time() - ${own(metrics.backupLastSuccess)}`, legend: "age" }],
        emptyBecause: "no backup is scheduled",
      },
    ],
  },
  {
    title: "Process",
    panels: [
      {
        title: "CPU",
        description: "Processors in use.",
        kind: "timeseries",
        unit: "none",
        queries: [{ expr: `rate(${own(metrics.cpu)}[$__rate_interval])`, legend: "CPU" }],
      },
      {
        title: "Memory",
        description: "Resident memory, and the part that is JavaScript.",
        kind: "timeseries",
        unit: "bytes",
        queries: [
          { expr: own(metrics.residentMemory), legend: "resident" },
          { expr: own(metrics.heapUsed), legend: "heap" },
        ],
      },
      {
        title: "Delay of the event loop",
        description: "Longest delay in the last minute. Requests were late by as much.",
        kind: "timeseries",
        unit: "s",
        queries: [{ expr: own(metrics.eventLoopDelay), legend: "delay" }],
      },
      {
        title: "File descriptors",
        description: "Open files and connections, and their limit.",
        kind: "timeseries",
        unit: "none",
        queries: [
          { expr: own(metrics.openFds), legend: "open" },
          { expr: own(metrics.maxFds), legend: "limit" },
        ],
      },
      {
        title: "Days until certificates expire",
        description: "By use. Replace a certificate before 14 days are left.",
        kind: "table",
        unit: "d",
        queries: [{ expr: `(${own(metrics.certificateExpiry)} - time()) / 86400`, legend: "{{use}}" }],
        emptyBecause: "no certificate is configured",
      },
    ],
  },
];
