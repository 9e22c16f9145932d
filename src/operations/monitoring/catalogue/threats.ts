import { counter, gauge, histogram } from "../model/metric.ts";

/** Metrics of threats, scans and lookups. */
export const threatMetrics = {
  threats: gauge({
    name: "phishwatch_threats",
    help: "Threats on record, by status and severity.",
    labels: ["status", "severity"],
  }),
  threatsByDomain: gauge({
    name: "phishwatch_protected_domain_threats",
    help: "Active threats by protected domain, for the 100 domains with most of them.",
    labels: ["protected_domain"],
  }),
  protectedDomains: gauge({
    name: "phishwatch_protected_domains",
    help: "Protected domains that are enabled.",
  }),
  events: counter({
    name: "phishwatch_events_total",
    help: "Events that were recorded, since the first start.",
  }),
  scans: gauge({
    name: "phishwatch_scans",
    help: "Scans on record, by status, including the running one.",
    labels: ["status"],
  }),
  scanFailures: counter({
    name: "phishwatch_scan_failures_total",
    help: "Failed scans, by reason.",
    labels: ["reason"],
  }),
  scanLastCompleted: gauge({
    name: "phishwatch_scan_last_completed_timestamp_seconds",
    help: "Time at which the last completed scan ended. Failed scans do not change it.",
  }),
  scanLastSuccess: gauge({
    name: "phishwatch_scan_last_success",
    help: "1 if the last scan that completed or failed completed, 0 if it failed.",
  }),
  scanLastDuration: gauge({
    name: "phishwatch_scan_last_duration_seconds",
    help: "Duration of the last scan that completed or failed.",
  }),
  scanLastNames: gauge({
    name: "phishwatch_scan_last_names",
    help: "Names that the last scan looked up.",
  }),
  resolvers: gauge({
    name: "phishwatch_resolvers",
    help: "DNS resolvers, by verdict of the latest check. Without an honest one, scans fail.",
    labels: ["verdict"],
  }),
  resolverOk: gauge({
    name: "phishwatch_resolver_ok",
    help: "1 if the latest check found the resolver honest, else 0.",
    labels: ["resolver"],
  }),
  lookups: counter({
    name: "phishwatch_lookups_total",
    help: "Lookups for threats, by kind (existence, page, registration, screenshot) and result (ok, failed).",
    labels: ["lookup", "result"],
  }),
  lookupDurations: histogram({
    name: "phishwatch_lookup_duration_seconds",
    help: "Duration of lookups, by kind, with the time in which they wait for their turn.",
    labels: ["lookup"],
    buckets: [0.1, 1, 10],
  }),
  registrationFailures: counter({
    name: "phishwatch_registration_lookup_failures_total",
    help: "Failed lookups of registration data, by top-level domain, which names the registry; `other` beyond 50.",
    labels: ["tld"],
  }),
  lookupQueue: gauge({
    name: "phishwatch_lookups_due",
    help: "Threats for which a lookup is due, by kind (check, registration, network, screenshot), counted up to 10,000, and up to 100 for each registry and urgency.",
    labels: ["lookup"],
  }),
  lookupsRunning: gauge({ name: "phishwatch_lookups_running", help: "Lookups in progress." }),
};
