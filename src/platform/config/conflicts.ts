import { labelProblem } from "../lib/host-names.ts";
import { keywordsNeeded } from "../vocabulary/protected-domains.ts";
import { bothOrNone, quoted, type Conflict } from "./fields/config-error.ts";
import type { Partly } from "./fields/fields.ts";
import { parseHeader } from "./fields/texts.ts";
import { channelConflicts, smtpConflicts } from "./sections/notifications.ts";
import type { FileValues } from "./schema.ts";
import { backupConflicts } from "./sections/backup.ts";
import { consoleConflicts } from "./sections/console.ts";

/** Line of a value in the file. */
type LineOf = (path: string) => number | undefined;

/** Checks the values that could be read, so that one error does not hide another. */
export function findConflicts(values: Partly<FileValues>, lineOf: LineOf): Conflict[] {
  return [
    ...bothOrNone("server", values.server, ["tls_cert", "tls_key"]),
    ...sharedPort(values),
    ...plainHttp(values),
    ...clientCertificates(values),
    ...secretForms(values),
    ...duplicates("protected_domains", "domain", values.protected_domains, lineOf),
    ...missingKeywords(values),
    ...duplicates("feeds", "name", values.feeds, lineOf),
    ...duplicates("api_keys", "name", values.api_keys, lineOf),
    ...duplicates("webhooks.endpoints", "name", values.webhooks?.endpoints, lineOf),
    ...sharedKeys(values, lineOf),
    ...columns(values),
    ...feedLocations(values),
    ...feedSecrets(values),
    ...backupConflicts(values),
    ...consoleConflicts(values),
    ...duplicates("console.group_roles", "group", values.console?.group_roles, lineOf),
    ...smtpConflicts(values),
    ...channelConflicts(values),
    ...duplicates("channels", "name", values.channels, lineOf),
    ...duplicates("subscriptions", "name", values.subscriptions, lineOf),
    ...duplicates("lists", "name", values.lists, lineOf),
    ...duplicates("certificate_logs.extra_logs", "name", values.certificate_logs?.extra_logs, lineOf),
    ...duplicates("certificate_logs.rates", "operator", values.certificate_logs?.rates, lineOf),
  ];
}

function* missingKeywords({ protected_domains: entries }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry?.domain === undefined || entry.keywords === undefined || entry.keywords.length > 0) continue;
    const problem = labelProblem(entry.domain);
    if (problem === undefined) continue;
    const found = `none, and ${entry.domain} ${problem}`;
    yield { path: `protected_domains[${index}].keywords`, found, allowed: keywordsNeeded };
  }
}

function* sharedPort({ server, traps }: Partly<FileValues>): Generator<Conflict> {
  const [first, second] = [server?.listen, traps?.listen];
  if (first?.port === undefined || first.port === 0 || first.port !== second?.port) return;
  if (first.host !== second.host) return;
  const allowed = "another port than server.listen";
  yield { path: "traps.listen", found: "the address of server.listen", allowed };
}

function* plainHttp({ webhooks }: Partly<FileValues>): Generator<Conflict> {
  if (webhooks?.allow_http !== false) return;
  for (const [index, endpoint] of (webhooks.endpoints ?? []).entries()) {
    if (endpoint?.url?.startsWith("http://") !== true) continue;
    const found = quoted(`http://${new URL(endpoint.url).host}/…`);
    const allowed = "an https:// address, or webhooks.allow_http = true";
    yield { path: `webhooks.endpoints[${index}].url`, found, allowed };
  }
}

function* clientCertificates({ webhooks }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, endpoint] of (webhooks?.endpoints ?? []).entries())
    yield* bothOrNone(`webhooks.endpoints[${index}]`, endpoint, ["client_cert", "client_key"]);
}

/** Libraries for Standard Webhooks decode the text after the prefix and fail if it is not base64. */
function* secretForms({ webhooks }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, endpoint] of (webhooks?.endpoints ?? []).entries()) {
    const encoded = /^whsec_(.*)$/.exec(endpoint?.secret ?? "")?.[1];
    if (encoded === undefined || isBase64(encoded)) continue;
    const allowed = "base64 after whsec_, or a secret without that prefix";
    yield { path: `webhooks.endpoints[${index}].secret`, found: "whsec_ and no base64 after it", allowed };
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]{2,}={0,2}$/.test(text);
}

/** Compares names without case, because names that differ only in case would be confused. */
function* duplicates<Key extends string>(
  path: string,
  key: Key,
  entries: ({ [K in Key]?: string | undefined } | undefined)[] | undefined,
  lineOf: LineOf,
): Generator<Conflict> {
  const first = new Map<string, number>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const shown = entry?.[key];
    if (shown === undefined) continue;
    const name = shown.toLowerCase();
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else {
      const line = lineOf(`${path}[${earlier}].${key}`);
      const found = `${quoted(shown)} a second time (first on line ${line})`;
      yield { path: `${path}[${index}].${key}`, found, allowed: `a ${key} that no other entry has` };
    }
  }
}

/** Rejects a key that two entries share, because a request could not be attributed to one of them. */
function* sharedKeys({ api_keys: keys }: Partly<FileValues>, lineOf: LineOf): Generator<Conflict> {
  const first = new Map<string, number>();
  for (const [index, entry] of (keys ?? []).entries()) {
    if (entry?.key === undefined) continue;
    const earlier = first.get(entry.key);
    if (earlier === undefined) first.set(entry.key, index);
    else {
      const found = `the key of the entry on line ${lineOf(`api_keys[${earlier}]`)}`;
      yield { path: `api_keys[${index}].key`, found, allowed: "a key of its own for each entry" };
    }
  }
}

function* columns({ feeds }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, feed] of (feeds ?? []).entries()) {
    const hasColumns = ["auto", "csv", "jsonl", "json"].includes(feed?.format ?? "auto");
    if (typeof feed?.column !== "string" || hasColumns) continue;
    const found = `a column for the format "${feed.format}"`;
    yield { path: `feeds[${index}].column`, found, allowed: "a column with csv, jsonl, json or auto only" };
  }
}

function* feedLocations({ feeds }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, feed] of (feeds ?? []).entries()) {
    if (feed === undefined) continue;
    const { type, path, url } = feed;
    const at = (key: string) => `feeds[${index}].${key}`;
    if (type === "czds") {
      if (typeof path === "string")
        yield { path: at("path"), found: `a path for the type "czds"`, allowed: "no path" };
      for (const key of ["username", "password"] as const)
        if (feed[key] === null)
          yield { path: at(key), found: "nothing", allowed: `a ${key} for the type "czds"` };
    } else if (type === "certstream") {
      if (url === null || (typeof url === "string" && !/^wss?:/.test(url)))
        yield { path: at("url"), found: "no WebSocket address", allowed: "a wss:// address" };
    } else if (typeof path === "string" && typeof url === "string")
      yield { path: at("url"), found: "a url beside a path", allowed: "either path or url" };
    else if (path === null && url === null)
      yield { path: at("path"), found: "nothing", allowed: "either path or url" };
    else if (typeof url === "string" && /^wss?:/.test(url))
      yield {
        path: at("url"),
        found: "a WebSocket address",
        allowed: 'an https:// address, or type = "certstream"',
      };
    if (typeof url === "string" && /^(http|ws):/.test(url) && feed.allow_private_networks === false)
      yield {
        path: at("url"),
        found: "an unencrypted address",
        allowed: "https:// or wss://, or allow_private_networks = true",
      };
  }
}

/** The forms of secrets are checked here, because readers of texts do not see secrets. */
function* feedSecrets({ feeds }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, feed] of (feeds ?? []).entries()) {
    const header = feed?.secret_header;
    if (typeof header === "string" && !parseHeader(header)?.[1])
      yield {
        path: `feeds[${index}].secret_header`,
        found: "a secret of another form",
        allowed: '"Name: value"',
      };
    if (typeof feed?.secret_query === "string" && !/^[A-Za-z0-9_.~-]{1,100}=[!-~]*$/.test(feed.secret_query))
      yield {
        path: `feeds[${index}].secret_query`,
        found: "a secret of another form",
        allowed: '"name=value"',
      };
  }
}
