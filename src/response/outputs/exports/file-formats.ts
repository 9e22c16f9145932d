import { toListObject } from "../../../threats/threats/api-object.ts";
import type { ExportFormat } from "./formats.ts";
import { csvHeader, csvRecord } from "./csv.ts";
import { stixBundleId, stixIdentity, stixIndicators } from "./stix.ts";
import type { ThreatReader } from "./threat-reader.ts";

/** Values of an export as a whole, for formats that contain them. */
export interface ExportContext {
  /** Identifies this installation. */
  instanceId: string;
  /** URL of the console and of the screenshots, without a trailing slash. */
  publicUrl: string;
  /** Unique for each content that exports of this installation can have. */
  exportName: string;
}

/** A format of exports that are one file. */
export interface FileFormat {
  /** Media type. */
  type: string;
  /** Ending of the file's name, with the dot. */
  ending: string;
  /** Text before the first threat. */
  start(context: ExportContext): string;
  /** Reads threats and returns one text for each. */
  texts(reader: ThreatReader, seqs: readonly number[], context: ExportContext): string[];
  end: string;
}

export const fileFormats: Readonly<Record<ExportFormat, FileFormat>> = {
  csv: {
    type: "text/csv; charset=utf-8; header=present",
    ending: ".csv",
    start: () => csvHeader,
    texts: (reader, seqs, { publicUrl }) =>
      reader.detailed(seqs).map((threat) => csvRecord(threat, publicUrl)),
    end: "",
  },
  jsonl: {
    type: "application/x-ndjson; charset=utf-8",
    ending: ".jsonl",
    start: () => "",
    texts: (reader, seqs, { publicUrl }) =>
      reader.listed(seqs).map((threat) => `${JSON.stringify(toListObject(threat, publicUrl))}\n`),
    end: "",
  },
  stix: {
    type: "application/stix+json;version=2.1",
    ending: ".json",
    // The identity comes first, so that every indicator has a comma before it.
    start: ({ instanceId, exportName }) =>
      `{"type":"bundle","id":"${stixBundleId(instanceId, exportName)}","objects":[\n${JSON.stringify(stixIdentity(instanceId))}`,
    texts: (reader, seqs, context) =>
      reader.detailed(seqs).map((threat) =>
        stixIndicators(threat, context)
          .map((one) => `,\n${JSON.stringify(one)}`)
          .join(""),
      ),
    end: "\n]}\n",
  },
};
