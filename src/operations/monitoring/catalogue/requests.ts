import { counter, gauge, histogram, info } from "../model/metric.ts";

/** Metrics of the process, its log, requests, and access. */
export const requestMetrics = {
  build: info({
    name: "phishwatch_build_info",
    help: "Always 1; the labels identify the version.",
    labels: ["version", "commit", "bun"],
  }),
  ready: gauge({ name: "phishwatch_ready", help: "1 if /readyz returns 200, else 0." }),
  conditions: gauge({
    name: "phishwatch_condition",
    help: "1 while a condition of this type holds that people are sent messages about, else 0.",
    labels: ["type"],
  }),
  certificateExpiry: gauge({
    name: "phishwatch_certificate_expiry_timestamp_seconds",
    help: "Time at which a certificate of phishwatch expires, by use. Read once a minute.",
    labels: ["use"],
  }),
  logEvents: counter({
    name: "phishwatch_log_events_total",
    help: "Warnings and errors in the log, by event.",
    labels: ["event", "level"],
  }),
  httpRequests: counter({
    name: "phishwatch_http_requests_total",
    help: "HTTP requests, by route, method and status. Status 429: rejected because of the rate limit of a key.",
    labels: ["route", "method", "status"],
  }),
  httpDurations: histogram({
    name: "phishwatch_http_request_duration_seconds",
    help: "Time until the response was ready, by route.",
    labels: ["route"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
  }),
  httpPending: gauge({ name: "phishwatch_http_requests_in_flight", help: "Requests in flight." }),
  httpBodyBytes: gauge({
    name: "phishwatch_http_body_held_bytes",
    help: "Memory that the bodies of requests in flight use.",
  }),
  sessions: gauge({
    name: "phishwatch_console_sessions",
    help: "Sessions of the console that are signed in.",
  }),
  failedSignIns: counter({
    name: "phishwatch_console_failed_sign_ins_total",
    help: "Failed attempts to sign in to the console.",
  }),
  apiKeys: gauge({ name: "phishwatch_api_keys", help: "API keys that can be used." }),
  apiKeyExpiry: gauge({
    name: "phishwatch_api_key_expiry_timestamp_seconds",
    help: "Time at which an API key expires, for the 50 keys that expire next.",
    labels: ["key"],
  }),
  trapVisits: counter({
    name: "phishwatch_trap_visits_total",
    help: "Visits to beacons and honeytokens: recorded, over the limit of their network, or dropped because the queue was full.",
    labels: ["outcome"],
  }),
};
