import { describe, expect, test } from "bun:test";
import { errorLines } from "./helper.ts";

/** The error, the file, and each expected line of output without the file's name. */
type Case = [wrong: string, file: string, ...lines: string[]];

function table(cases: Case[]): void {
  for (const [wrong, file, ...lines] of cases) {
    test(`${wrong} is the only reported error`, () => expect(errorLines(file)).toEqual(lines));
  }
}

describe("server", () => {
  table([
    [
      "a port alone",
      '[server]\nlisten = "8080"',
      '2: server.listen: found "8080"; expected host:port or [IPv6]:port, such as "127.0.0.1:8080"; did you mean "127.0.0.1:8080"?',
    ],
    [
      "a port after a colon",
      '[server]\nlisten = ":8080"',
      '2: server.listen: found ":8080"; expected host:port or [IPv6]:port, such as "127.0.0.1:8080"; did you mean "0.0.0.0:8080"?',
    ],
    [
      "IPv6 without brackets",
      '[server]\nlisten = "::1:8080"',
      '2: server.listen: found "::1:8080"; expected host:port or [IPv6]:port, such as "127.0.0.1:8080"; did you mean "[::1]:8080"?',
    ],
    [
      "a port that is too high",
      '[server]\nlisten = "[::1]:65536"',
      '2: server.listen: found "[::1]:65536"; expected a port from 0 to 65535',
    ],
    [
      "a host with a blank",
      '[server]\nlisten = "local host:80"',
      '2: server.listen: found "local host:80"; expected host:port or [IPv6]:port, such as "127.0.0.1:8080"',
    ],
    [
      "a public URL of another scheme",
      '[server]\npublic_url = "ftp://phishwatch.example"',
      "2: server.public_url: found a string of 24 characters that is no such address; expected an http:// or https:// address of at most 2000 ASCII characters",
    ],
    [
      "a public URL with a query",
      '[server]\npublic_url = "https://phishwatch.example/?a=b"',
      '2: server.public_url: found "https://phishwatch.example/?a=b"; expected an address without ?query',
    ],
    [
      "a public URL with a path, below which the console does not work",
      '[server]\npublic_url = "https://phishwatch.example/watch/"',
      '2: server.public_url: found "https://phishwatch.example/watch/"; expected an address without a path, with a host name of its own, such as "https://phishwatch.example.com"',
    ],
    [
      "a public URL with port 0",
      '[server]\npublic_url = "https://phishwatch.example:0/"',
      "2: server.public_url: found an address with port 0; expected a port from 1 to 65535",
    ],
    [
      "a public URL of traps with port 0",
      '[traps]\npublic_url = "https://traps.example:0/"',
      "2: traps.public_url: found an address with port 0; expected a port from 1 to 65535",
    ],
    [
      "the URL of an endpoint with port 0",
      '[[webhooks.endpoints]]\nname = "a"\nsecret = "0123456789abcdef"\nurl = "https://1.1.1.1:0/"',
      "4: webhooks.endpoints[0].url: found an address with port 0; expected a port from 1 to 65535",
    ],
    [
      "a certificate without its key",
      '[server]\ntls_cert = "cert.pem"',
      "2: server.tls_cert: found no tls_key beside it; expected both or none",
    ],
    [
      "a key without its certificate",
      '[server]\ntls_key = "key.pem"',
      "2: server.tls_key: found no tls_cert beside it; expected both or none",
    ],
    [
      "values that are not networks",
      '[server]\ntrusted_proxies = [\n  "10.0.0.0/33",\n  "10.0.0.0/8",\n  "proxy.example",\n  5,\n  "10.0.0.0/8",\n]',
      '3: server.trusted_proxies[0]: found "10.0.0.0/33"; expected a network such as "10.0.0.0/8" or "2001:db8::/32"',
      '5: server.trusted_proxies[2]: found "proxy.example"; expected a network such as "10.0.0.0/8" or "2001:db8::/32"',
      "6: server.trusted_proxies[3]: found 5; expected a string between quotation marks (network)",
      '7: server.trusted_proxies[4]: found "10.0.0.0/8" a second time; expected each entry once',
    ],
  ]);
});

describe("scan", () => {
  table([
    [
      "four cron fields",
      '[scan]\nschedule = "17 3 * *"',
      '2: scan.schedule: found "17 3 * *"; expected five cron fields in UTC such as "17 3 * * *", or "" for never',
    ],
    [
      "six cron fields",
      '[scan]\nschedule = "* * * * * *"',
      '2: scan.schedule: found "* * * * * *"; expected five cron fields in UTC such as "17 3 * * *", or "" for never',
    ],
    [
      "a day that never comes",
      '[scan]\nschedule = "0 0 31 2 *"',
      '2: scan.schedule: found "0 0 31 2 *"; expected a schedule that comes round',
    ],
    [
      "a date for a schedule",
      '[scan]\nschedule = "2026-01-01T00:00:00"',
      '2: scan.schedule: found "2026-01-01T00:00:00"; expected five cron fields in UTC such as "17 3 * * *", or "" for never',
    ],
    [
      "values that are not resolvers",
      '[scan]\nresolvers = ["9.9.9.9:0", "dns.example:53", "::1:53"]',
      '2: scan.resolvers[0]: found "9.9.9.9:0"; expected an IP address with or without a port, such as "9.9.9.9:53" or "[2620:fe::fe]:53"',
      '2: scan.resolvers[1]: found "dns.example:53"; expected an IP address with or without a port, such as "9.9.9.9:53" or "[2620:fe::fe]:53"',
    ],
    [
      "no screenshots the wrong way",
      '[scan]\nscreenshots = ""',
      '2: scan.screenshots: found ""; expected "auto", "off" or the path of a Chromium',
    ],
    [
      "values that are not arguments for Chromium",
      '[screenshots]\nchromium_args = ["no-sandbox"]',
      '2: screenshots.chromium_args[0]: found "no-sandbox"; expected an argument such as "--no-sandbox", of at most 1000 characters',
    ],
  ]);
});

describe("durations", () => {
  table([
    [
      "no unit",
      '[webhooks]\ntimeout = "10"',
      '2: webhooks.timeout: found "10"; expected a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d',
    ],
    [
      "fractions and sums",
      '[webhooks]\nretry_delays = ["1.5h", "1h30m", "2 hours"]',
      '2: webhooks.retry_delays[0]: found "1.5h"; expected a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d; did you mean "90m"?',
      '2: webhooks.retry_delays[1]: found "1h30m"; expected a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d; did you mean "90m"?',
      '2: webhooks.retry_delays[2]: found "2 hours"; expected a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d; did you mean "2h"?',
    ],
    [
      "nothing and too much",
      '[webhooks]\nretry_delays = ["0s", "31d"]',
      '2: webhooks.retry_delays[0]: found "0s"; expected a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d',
      '2: webhooks.retry_delays[1]: found "31d"; expected a duration from 1ms to 30d',
    ],
    [
      "out of range",
      '[webhooks]\ntimeout = "1h"\n[retention]\nevents = "1s"',
      '2: webhooks.timeout: found "1h"; expected a duration from 10ms to 5m',
      '4: retention.events: found "1s"; expected a duration from 1m to 3650d',
    ],
    [
      "too many of them",
      '[webhooks]\nretry_delays = ["1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m", "1m"]',
      "2: webhooks.retry_delays: found 21 entries; expected at most 20",
    ],
  ]);
});
