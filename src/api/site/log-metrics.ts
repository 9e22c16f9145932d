import type { CertificateLogStatus } from "../../sources/certificate-logs/status.ts";
import { family } from "./metric-text.ts";

/** Returns the metrics of the certificate logs that are followed; none if none is. */
export function certificateLogFamilies(logs: readonly CertificateLogStatus[]): string[] {
  if (logs.length === 0) return [];
  const metric = (
    name: string,
    type: "counter" | "gauge",
    help: string,
    value: (log: CertificateLogStatus) => number | null,
  ) =>
    family(
      `phishwatch_certificate_log_${name}`,
      type,
      help,
      logs.flatMap((log) => {
        const sample = value(log);
        return sample === null ? [] : [[{ log: log.description, operator: log.operator }, sample] as const];
      }),
    );
  return [
    metric("entries_total", "counter", "Entries that were read.", ({ entries }) => entries),
    metric("names_total", "counter", "Names in these entries.", ({ names }) => names),
    metric(
      "bytes_total",
      "counter",
      "Bytes of the responses with entries, as transferred.",
      ({ bytes }) => bytes,
    ),
    metric("skipped_total", "counter", "Entries that were older than catch_up.", ({ skipped }) => skipped),
    metric(
      "malformed_total",
      "counter",
      "Entries that could not be parsed completely.",
      ({ malformed }) => malformed,
    ),
    metric("errors_total", "counter", "Failed attempts to read the log.", ({ errors }) => errors),
    metric("position", "gauge", "Index of the next entry.", ({ position }) => position),
    metric(
      "lag_entries",
      "gauge",
      "Published entries that are not read yet.",
      ({ lagEntries }) => lagEntries,
    ),
    metric(
      "lag_seconds",
      "gauge",
      "Time since everything was read; 0 if it is.",
      ({ lagMs }) => lagMs / 1_000,
    ),
    metric("ok", "gauge", "0 while the log cannot be read or contradicts itself, else 1.", ({ state }) =>
      state === "failing" || state === "mismatch" ? 0 : 1,
    ),
  ];
}
