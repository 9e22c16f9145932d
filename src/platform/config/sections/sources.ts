import { feedTypes, listFormats } from "../../vocabulary/lists.ts";
import { camelKeys } from "../../lib/key-names.ts";
import {
  boolean,
  choice,
  number,
  optionalSecret,
  optionalText,
  table,
  tables,
  text,
  type Static,
  texts,
} from "../fields/fields.ts";
import {
  parseHeader,
  readColumn,
  readDuration,
  readHeader,
  readName,
  readPath,
  readSchedule,
  readSize,
} from "../fields/texts.ts";
import {
  readBaseUrl,
  readContact,
  readFeedUrl,
  readKey,
  readLogList,
  readZone,
} from "../fields/source-texts.ts";

/** Schema of the sections about the sources of names. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mebibyte = 1 << 20;
const tebibyte = 2 ** 40;

export const feeds = tables("feeds", 1000, {
  name: text("name", readName),
  path: optionalText("path", readPath),
  url: optionalText("URL", readFeedUrl),
  type: choice(feedTypes),
  schedule: text("cron", readSchedule),
  headers: texts("header", readHeader, { maxItems: 20 }),
  secret_header: optionalSecret({ lengthMin: 3, lengthMax: 2_000, ascii: false }),
  secret_query: optionalSecret({ lengthMin: 3, lengthMax: 2_000, ascii: false }),
  username: optionalSecret({ lengthMin: 1, lengthMax: 200, ascii: false }),
  password: optionalSecret({ lengthMin: 1, lengthMax: 200, ascii: false }),
  zones: texts("zone", readZone, { maxItems: 2_000 }),
  max_size: text("size", readSize({ minimum: mebibyte, maximum: tebibyte })),
  allow_private_networks: boolean(),
  format: choice(listFormats),
  column: optionalText("column", readColumn),
  inspect: boolean(),
});

const extraLogs = tables("certificate_logs.extra_logs", 100, {
  name: text("name", readName),
  key: text("base64", readKey),
  url: text("URL", readBaseUrl),
  origin: optionalText("origin", readColumn),
  protocol: choice(["static", "rfc6962"]),
});

const rates = tables("certificate_logs.rates", 100, {
  operator: text("operator", readColumn),
  requests_per_second: number({ minimum: 0.01, maximum: 100 }),
});

export const certificateLogs = table("certificate_logs", {
  enabled: boolean(),
  contact: optionalText("contact", readContact),
  log_list: text("builtin | URL | path", readLogList),
  operators: texts("operator", readColumn, { maxItems: 100 }),
  catch_up: text("duration", readDuration({ minimumMs: 0, maximumMs: 90 * dayMs })),
  first_start: choice(["end", "beginning"]),
  names_only: boolean(),
  rates,
  extra_logs: extraLogs,
});

export const archive = table("archive", {
  enabled: boolean(),
  max_size: text("size", readSize({ minimum: 16 * mebibyte, maximum: 64 * tebibyte })),
  max_age: text("duration", readDuration({ minimumMs: dayMs, maximumMs: 3650 * dayMs })),
});

export function toFeed({
  secret_header: secretHeader,
  secret_query: query,
  max_size: bytesMax,
  headers,
  ...others
}: Static<typeof feeds>[number]) {
  // `findConflicts` has checked the form of the secret one.
  const secret = secretHeader === null ? [] : [parseHeader(secretHeader)!];
  return { ...camelKeys(others), headers: Object.fromEntries([...headers, ...secret]), query, bytesMax };
}

export function toCertificateLogs({
  catch_up: catchUpMs,
  rates: rateEntries,
  extra_logs: logs,
  ...others
}: Static<typeof certificateLogs>) {
  return {
    ...camelKeys(others),
    catchUpMs,
    rates: rateEntries.map((rate) => camelKeys(rate)),
    extraLogs: logs.map((log) => ({
      ...log,
      origin: log.origin ?? log.url.replace(/^https?:\/\//, "").replace(/\/$/, ""),
    })),
  };
}
