import { expect, test } from "bun:test";
import {
  configBytesMax,
  errorsMax,
  formatConfigError,
  loadConfig,
  type LoadOptions,
} from "../../../src/platform/config/load.ts";
import { errorLines, load, loaded } from "./helper.ts";

function lines(options: Partial<LoadOptions>): string[] {
  const result = loadConfig({ path: "phishwatch.toml", env: {}, readFile: () => "", ...options });
  return result.ok ? [] : result.errors.map(formatConfigError);
}

function failing(code: string): LoadOptions["readFile"] {
  return () => {
    throw Object.assign(new Error("inner detail"), { code });
  };
}

test("an unreadable file is reported without a line", () => {
  const init = "expected a configuration file (`phishwatch init` writes one)";
  expect(lines({ readFile: failing("ENOENT") })).toEqual([`phishwatch.toml: found no such file; ${init}`]);
  expect(lines({ readFile: failing("EISDIR") })).toEqual([`phishwatch.toml: found a folder; ${init}`]);
  expect(lines({ readFile: failing("EIO") })).toEqual([`phishwatch.toml: found an unreadable file; ${init}`]);
  expect(lines({ readFile: failing("EACCES") })).toEqual([
    "phishwatch.toml: found a file that this user may not read; expected permission to read it",
  ]);
});

test("bytes that are not UTF-8 are reported with their line", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode('# ü\n[log]\n# "'), 0xff, 0x0a]);
  expect(lines({ readFile: () => bytes })).toEqual([
    "phishwatch.toml:3: found bytes that are not UTF-8; expected UTF-8",
  ]);
});

test("a file that is too large is rejected without parsing", () => {
  const readFile = () => new Uint8Array(configBytesMax + 1).fill(0x23);
  expect(lines({ readFile })).toEqual([
    "phishwatch.toml: found 1048577 bytes; expected at most 1048576 bytes",
  ]);
  expect(lines({ readFile: () => new Uint8Array(configBytesMax).fill(0x23) })).toEqual([]);
});

test("a byte order mark and CRLF line ends change neither values nor line numbers", () => {
  expect(loaded("\uFEFF[log]\r\nlevel = 'warn'\r\n").log.level).toBe("warn");
  expect(errorLines("\uFEFF[log]\r\n\r\nlevel = 1\r\n")[0]).toStartWith("3: log.level: found 1;");
});

test("all errors are reported at once, in the order of the file", () => {
  const file = `
[webhooks]
timeout = 10
[[webhooks.endpoints]]
name = "soc"
url = "http://soc.example/"
secret = "opensesame-opensesame"
event = []
[[webhooks.endpoints]]
name = "soc"
url = "https://soc.example/"
[server]
tls_key = "key.pem"
lisen = ""
public_url = "x"`;
  const places = errorLines(file).map((line) => line.replace(/: found.*/, ""));
  expect(places).toEqual([
    "3: webhooks.timeout",
    "6: webhooks.endpoints[0].url",
    "8: webhooks.endpoints[0].event",
    "9: webhooks.endpoints[1].secret",
    "10: webhooks.endpoints[1].name",
    "13: server.tls_key",
    "14: server.lisen",
    "15: server.public_url",
  ]);
});

test("an invalid value causes no second error in values that depend on it", () => {
  const file = `[webhooks]\nallow_http = "yes"\n[[webhooks.endpoints]]\nname = "a"\nurl = "http://a.example/"\nsecret = "opensesame-opensesame"`;
  expect(errorLines(file)).toHaveLength(1);
  expect(errorLines("[server]\ntls_cert = 1\ntls_key = 'key.pem'")).toHaveLength(1);
});

test("errors beyond one hundred are only counted", () => {
  const result = load(Array.from({ length: 250 }, (_, index) => `key${index} = 1`).join("\n"));
  if (result.ok) throw new Error("no error");
  expect(result.errors).toHaveLength(errorsMax + 1);
  expect(formatConfigError(result.errors.at(-1)!)).toBe(
    "/etc/phishwatch/phishwatch.toml: found 150 more errors; expected none",
  );
});

test("names such as __proto__ are reported as unknown keys", () => {
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    expect(errorLines(`${key} = 1\n[server]\n${key} = { polluted = true }`)).toHaveLength(2);
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("control characters in the name of the file are escaped in errors", () => {
  const [line] = lines({ path: "a\u202e\n.toml", text: "x = 1" });
  expect(line).toStartWith("a\\u{202e}\\u{a}.toml:1: x: ");
});
