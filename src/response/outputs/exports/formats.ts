/** Formats of exports that are one file. */
export const exportFormats = ["csv", "jsonl", "stix"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Names of formats for people. */
export const exportFormatNames: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV",
  jsonl: "JSON lines",
  stix: "STIX",
};
