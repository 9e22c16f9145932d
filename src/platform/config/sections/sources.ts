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

export const feeds = tables(
  {
    name: text("name", readName, { example: "nrd", description: "unique name" }),
    path: optionalText("path", readPath, {
      example: "feeds/nrd",
      description: "file, or folder that is watched; set either path or url",
    }),
    url: optionalText("URL", readFeedUrl, {
      description: "https:// address of a list; wss:// for certstream; for czds optional",
    }),
    type: choice(feedTypes, {
      default: "list",
      description: "czds: zone files of ICANN; certstream: a WebSocket",
    }),
    schedule: text("cron", readSchedule, {
      default: "0 */6 * * *",
      description: "url: when to fetch it; cron in UTC",
    }),
    headers: texts("header", readHeader, {
      maxItems: 20,
      description: `url: headers of the request, as "Name: value"`,
    }),
    secret_header: optionalSecret(
      { lengthMin: 3, lengthMax: 2_000, ascii: false },
      { description: `secret; url: a header as "Name: value", such as "Auth-Key: …"` },
    ),
    secret_query: optionalSecret(
      { lengthMin: 3, lengthMax: 2_000, ascii: false },
      { description: `secret; url: added to its query as "name=value", such as "auth-key=…"` },
    ),
    username: optionalSecret(
      { lengthMin: 1, lengthMax: 200, ascii: false },
      { description: "secret; czds: user name of the account" },
    ),
    password: optionalSecret(
      { lengthMin: 1, lengthMax: 200, ascii: false },
      { description: "secret; czds: password of the account" },
    ),
    zones: texts("zone", readZone, {
      maxItems: 2_000,
      description: `czds: zones to read, such as "shop"; empty = all approved ones`,
    }),
    max_size: text("size", readSize({ minimum: mebibyte, maximum: tebibyte }), {
      default: "1GiB",
      description: "url: maximum size of a response, also after decompression",
    }),
    allow_private_networks: boolean({
      default: false,
      description: "url: also connect to private addresses and over http:// or ws://",
    }),
    format: choice(listFormats, {
      default: "auto",
      description: "format of the list",
    }),
    column: optionalText("column", readColumn, { description: "csv, jsonl, json: field to read" }),
    inspect: boolean({
      default: false,
      description:
        "inspect the page at each address of the list, also if its name resembles no protected domain",
    }),
  },
  {
    description:
      "Lists of names to check, such as newly registered domains: files, folders and URLs; also .gz, .zst and .zip.",
    maxItems: 1000,
    live: false,
  },
);

const extraLogs = tables(
  {
    name: text("name", readName, { example: "internal", description: "unique name" }),
    key: text("base64", readKey, {
      example:
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQ1bTjThUe8V/lHw1ntUF5LO9ZzR+hvQxFELMwnXp4t33zRC37uya5qLJkUI2a88LVvdvtDfqRV8Sx/QUxm2Gkw==",
      description: "public key of the log, base64 of the SPKI",
    }),
    url: text("URL", readBaseUrl, {
      example: "https://log.example/2026h2/",
      description: "monitoring URL (static) or base URL (rfc6962); can be http:// and private",
    }),
    origin: optionalText("origin", readColumn, {
      description: "static: origin of its checkpoints; default: url without the scheme and the last slash",
    }),
    protocol: choice(["static", "rfc6962"], { default: "static", description: "protocol of the log" }),
  },
  { description: "Certificate logs that are in no log list.", maxItems: 100, live: false },
);

const rates = tables(
  {
    operator: text("operator", readColumn, {
      example: "DigiCert",
      description: "operator as the log list names it",
    }),
    requests_per_second: number(
      { minimum: 0.01, maximum: 100 },
      { example: 0.15, description: "maximum rate of requests to all logs of the operator" },
    ),
  },
  {
    description: "Request rates that replace the built-in ones, one entry for each operator.",
    maxItems: 100,
    live: false,
  },
);

export const certificateLogs = table(
  {
    enabled: boolean({ default: false, description: "read the public certificate logs" }),
    contact: optionalText("contact", readContact, {
      description: "email address or URL that is sent in the User-Agent, so that log operators can reach you",
    }),
    log_list: text("builtin | URL | path", readLogList, {
      default: "builtin",
      description: `"builtin" (Google's list, refreshed), or the URL or path of another list in the format v3`,
    }),
    operators: texts("operator", readColumn, {
      maxItems: 100,
      description: `follow only the logs of these operators, such as "Google"; empty = all, "none" = no public log`,
    }),
    catch_up: text("duration", readDuration({ minimumMs: 0, maximumMs: 90 * dayMs }), {
      default: "24h",
      description: "how old entries may be that are read after a pause; older ones are skipped and counted",
    }),
    first_start: choice(["end", "beginning"], {
      default: "end",
      description: "where to start in a log that was never followed",
    }),
    names_only: boolean({
      default: false,
      description: "read names tiles where logs serve them: a twentieth of the traffic, but unverified names",
    }),
    rates,
    extra_logs: extraLogs,
  },
  "Certificate logs: names of newly issued certificates.",
  { reload: "restart" },
);

export const archive = table(
  {
    enabled: boolean({
      default: true,
      description: "store every name that was seen, to search it later",
      reload: "restart",
    }),
    max_size: text("size", readSize({ minimum: 16 * mebibyte, maximum: 64 * tebibyte }), {
      default: "2GiB",
      description: "maximum size on disk; the oldest names are deleted first",
    }),
    max_age: text("duration", readDuration({ minimumMs: dayMs, maximumMs: 3650 * dayMs }), {
      default: "90d",
      description: "how long names are kept",
    }),
  },
  "The archive of names, in a folder next to the database.",
);

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
