import { describe, expect, test } from "bun:test";
import { errorLines } from "./helper.ts";

/** The error, the file, and each expected line of output without the file's name. */
type Case = [wrong: string, file: string, ...lines: string[]];

function table(cases: Case[]): void {
  for (const [wrong, file, ...lines] of cases) {
    test(`${wrong} is the only reported error`, () => expect(errorLines(file)).toEqual(lines));
  }
}

describe("text that is not TOML", () => {
  table([
    [
      "an unterminated string",
      '[server]\nlisten = "127.0.0.1:8080\n',
      "2:25: found invalid TOML (Unterminated string constant); expected TOML 1.0",
    ],
    [
      "no value",
      "[server]\nlisten =\n",
      "2:9: found invalid TOML (Unspecified values are invalid); expected TOML 1.0",
    ],
    [
      "a value without quotation marks",
      "[log]\nlevel = info",
      "2:12: found invalid TOML (Must be a newline); expected TOML 1.0; did you mean the value between quotation marks?",
    ],
    [
      "a duration without quotation marks",
      "[webhooks]\ntimeout = 10s",
      "2:13: found invalid TOML (Must be a newline); expected TOML 1.0; did you mean the value between quotation marks?",
    ],
    [
      "a boolean of another language",
      "[console]\nenabled = True",
      "2:11: found invalid TOML (Unexpected character); expected TOML 1.0; did you mean true?",
    ],
    [
      "a colon instead of an equals sign",
      '[log]\nlevel: "info"',
      "2:6: found invalid TOML (Unexpected character); expected TOML 1.0; did you mean = instead of :?",
    ],
    [
      "backslashes of a path",
      '[storage]\npath = "C:\\phishwatch\\data.db"',
      "2:12: found invalid TOML (Invalid character in escape sequence); expected TOML 1.0; did you mean 'single quotation marks', which leave backslashes as they are?",
    ],
    [
      "a key given twice",
      '[server]\nlisten = "a:1"\nlisten = "b:1"',
      "3:1: found the key listen a second time; expected each key and [table] once",
    ],
    [
      "a table given twice",
      "[server]\n[log]\n[server]",
      "3:2: found the key server a second time; expected each key and [table] once",
    ],
    [
      "a control character",
      '[log]\nlevel = "in\u0007fo"',
      "2:12: found invalid TOML (Control characters (codes < 0x1f and 0x7f) are not allowed); expected TOML 1.0",
    ],
    ["no TOML at all", "<html>", "1:1: found invalid TOML (Unexpected character); expected TOML 1.0"],
    [
      "deep nesting",
      "a = [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
      "1:21: found more than 16 levels of nesting, or a string of more than 100,000 characters; expected the tables and keys of the example",
    ],
  ]);
});

describe("unknown keys", () => {
  table([
    [
      "a misspelled key",
      '[server]\nlistn = "127.0.0.1:1"',
      "2: server.listn: found an unknown key; expected listen, public_url, tls_cert, tls_key, trusted_proxies, allowed_hosts or metrics_token; did you mean server.listen?",
    ],
    [
      "camel case",
      '[server]\npublicUrl = ""',
      "2: server.publicUrl: found an unknown key; expected listen, public_url, tls_cert, tls_key, trusted_proxies, allowed_hosts or metrics_token; did you mean server.public_url?",
    ],
    [
      "a key in the wrong table",
      "[server]\nmax_per_page = 3",
      "2: server.max_per_page: found an unknown key; expected listen, public_url, tls_cert, tls_key, trusted_proxies, allowed_hosts or metrics_token; did you mean api.max_per_page?",
    ],
    [
      "a key outside its table",
      'listen = "x"',
      "1: listen: found an unknown key; expected server, storage, console, api, detection, cases, scan, lookups, inspection, screenshots, webhooks, smtp, takedown, traps, certificate_logs, archive, backup, retention, data, log, protected_domains, feeds, api_keys, channels, subscriptions or lists; did you mean server.listen?",
    ],
    ["a key like no other", "[storage]\nzzz = 1", "2: storage.zzz: found an unknown key; expected path"],
    [
      "a misspelled table",
      '[webhook]\ntimeout = "1s"',
      "1: webhook: found an unknown key; expected server, storage, console, api, detection, cases, scan, lookups, inspection, screenshots, webhooks, smtp, takedown, traps, certificate_logs, archive, backup, retention, data, log, protected_domains, feeds, api_keys, channels, subscriptions or lists; did you mean webhooks?",
    ],
    [
      "an unknown table",
      "[sandbox]\nseed = 1",
      "1: sandbox: found an unknown key; expected server, storage, console, api, detection, cases, scan, lookups, inspection, screenshots, webhooks, smtp, takedown, traps, certificate_logs, archive, backup, retention, data, log, protected_domains, feeds, api_keys, channels, subscriptions or lists",
    ],
    [
      "a misspelled key in an entry",
      '[[protected_domains]]\ndomain = "example.com"\nkeyword = ["x"]',
      "3: protected_domains[0].keyword: found an unknown key; expected domain, keywords or allow; did you mean protected_domains[0].keywords?",
    ],
    [
      "a hidden character in a key",
      '"lis\\u202eten" = 1\n"" = 2',
      '1: "lis\\u{202e}ten": found an unknown key; expected server, storage, console, api, detection, cases, scan, lookups, inspection, screenshots, webhooks, smtp, takedown, traps, certificate_logs, archive, backup, retention, data, log, protected_domains, feeds, api_keys, channels, subscriptions or lists',
      '2: "": found an unknown key; expected server, storage, console, api, detection, cases, scan, lookups, inspection, screenshots, webhooks, smtp, takedown, traps, certificate_logs, archive, backup, retention, data, log, protected_domains, feeds, api_keys, channels, subscriptions or lists',
    ],
    [
      "a misspelled secret, which is not shown",
      '[console]\npasword = "correct horse battery"',
      "2: console.pasword: found an unknown key; expected enabled, password, require_codes, trusted_user_header, trusted_groups_header, trusted_groups_separator or group_roles; did you mean console.password?",
    ],
  ]);
});

describe("wrong kinds", () => {
  table([
    [
      "a number for a string",
      "[server]\nlisten = 8080",
      "2: server.listen: found 8080; expected a string between quotation marks (host:port)",
    ],
    [
      "a date for a string",
      "[server]\nlisten = 1979-05-27",
      "2: server.listen: found the date or time 1979-05-27; expected a string between quotation marks (host:port)",
    ],
    [
      "a string for a boolean",
      '[console]\nenabled = "true"',
      '2: console.enabled: found "true"; expected true or false; did you mean true without quotation marks?',
    ],
    [
      "a number for a boolean",
      "[detection]\nreactivate = 1",
      "2: detection.reactivate: found 1; expected true or false",
    ],
    [
      "a string for a number",
      '[detection]\nmin_similarity = "0.8"',
      '2: detection.min_similarity: found "0.8"; expected a number from 0 to 1; did you mean 0.8 without quotation marks?',
    ],
    [
      "a float for a whole number",
      "[api]\nmax_batch_ids = 1e3",
      "2: api.max_batch_ids: found 1e3; expected a whole number from 1 to 10000",
    ],
    [
      "a string for an array",
      '[webhooks]\nretry_delays = "1m"',
      '2: webhooks.retry_delays: found a string of 2 characters; expected an array, such as ["1m", "5m", "30m", "2h"]',
    ],
    [
      "a string for a table",
      'server = "127.0.0.1:8080"',
      "1: server: found a string of 14 characters; expected a [server] table",
    ],
    [
      "double brackets for a table",
      '[[server]]\nlisten = "127.0.0.1:1"',
      "1: server: found a [[table]]; expected a [server] table",
    ],
    [
      "single brackets for entries",
      '[protected_domains]\ndomain = "example.com"',
      "1: protected_domains: found a table; expected [[protected_domains]] tables",
    ],
    [
      "strings for entries",
      'protected_domains = ["example.com"]',
      "1: protected_domains[0]: found a string of 11 characters; expected a table with domain, keywords or allow",
    ],
  ]);
});

describe("numbers and sets", () => {
  table([
    [
      "below the range",
      "[api]\nmax_per_page = 0",
      "2: api.max_per_page: found 0; expected a whole number from 1 to 1000",
    ],
    [
      "beyond the range",
      "[detection]\nmin_similarity = 1.5",
      "2: detection.min_similarity: found 1.5; expected a number from 0 to 1",
    ],
    [
      "beyond 64 bits",
      "[api]\nmax_per_page = 99999999999999999999",
      "2: api.max_per_page: found 99999999999999999999; expected a whole number from 1 to 1000",
    ],
    [
      "not a number",
      "[detection]\nmin_similarity = nan",
      "2: detection.min_similarity: found nan; expected a number from 0 to 1",
    ],
    [
      "a misspelled choice",
      '[log]\nlevel = "Info"\nformat = "jsno"',
      '2: log.level: found "Info"; expected "trace", "debug", "info", "warn" or "error"; did you mean "info"?',
      '3: log.format: found "jsno"; expected "auto", "json" or "pretty"; did you mean "json"?',
    ],
    [
      "hidden characters in a value",
      '[log]\nlevel = "x\\u202ey\\u0007\u200b"',
      '2: log.level: found "x\\u{202e}y\\u{7}\\u{200b}"; expected "trace", "debug", "info", "warn" or "error"',
    ],
    [
      "a long value",
      '[log]\nlevel = "\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007\\u0007"',
      '2: log.level: found "\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u{7}\\u…"; expected "trace", "debug", "info", "warn" or "error"',
    ],
  ]);
});
