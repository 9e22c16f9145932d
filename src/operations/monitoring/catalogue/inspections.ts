import { counter, gauge } from "../model/metric.ts";

/** Metrics of the inspection of pages. */
export const inspectionMetrics = {
  inspectionsWaiting: gauge({
    name: "phishwatch_inspections_waiting",
    help: "Addresses that wait to be inspected, by who wants it (person, submission, feed).",
    labels: ["priority"],
  }),
  inspectionOldestWaiting: gauge({
    name: "phishwatch_inspection_oldest_waiting_seconds",
    help: "Time since the request that has waited longest; 0 if none waits.",
  }),
  inspectionsRunning: gauge({
    name: "phishwatch_inspections_running",
    help: "Addresses that are being inspected.",
  }),
  inspections: counter({
    name: "phishwatch_inspections_total",
    help: "Inspections that ended, by outcome (imitation, harmless, failed, skipped).",
    labels: ["outcome"],
  }),
  inspectionsStarted: counter({
    name: "phishwatch_inspections_started_total",
    help: "Attempts to inspect an address.",
  }),
  inspectionDuration: counter({
    name: "phishwatch_inspection_duration_seconds_total",
    help: "Time that all attempts took together.",
  }),
  inspectionsDropped: counter({
    name: "phishwatch_inspections_dropped_total",
    help: "Addresses of feeds that were dropped because too many waited, or for too long.",
  }),
  inspectionsToday: gauge({
    name: "phishwatch_inspections_started_today",
    help: "Attempts on this day (UTC).",
  }),
  inspectionsPerDay: gauge({
    name: "phishwatch_inspections_per_day",
    help: "Value of inspection.per_day.",
  }),
  originals: gauge({
    name: "phishwatch_originals",
    help: "Original pages of protected domains, by the outcome of their last capture.",
    labels: ["state"],
  }),
  domainsWithoutOriginal: gauge({
    name: "phishwatch_protected_domains_without_original",
    help: "Enabled protected domains of which no original page was captured yet.",
  }),
};
