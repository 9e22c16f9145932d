import { expect, test } from "bun:test";
import { describeEffective } from "../../../src/platform/config/effective.ts";
import { fieldSchema } from "../../../src/platform/config/fields/fields.ts";
import { configSchema } from "../../../src/platform/config/schema.ts";

const text = `[server]
listen = "0.0.0.0:80"
metrics_token = { env = "TOKEN" }
[console]
password = { file = "secrets/password" }
[smtp]
password = { credential = "mail" }
[detection]
min_similarity = 0.80
[webhooks]
retry_delays = ["1s", "2s"]
[[api_keys]]
name = "ci"
key = "a-secret-key-0123456789"
[[api_keys]]
name = "cd"
key = "another-secret-0123456"
`;
const { settings, entries } = describeEffective({ path: "/etc/phishwatch.toml", text });
const of = (path: string) => settings.find((one) => one.path === path);

test("each setting shows its value as written in the file with its line, or the default", () => {
  expect(of("server.listen")).toMatchObject({ value: '"0.0.0.0:80"', origin: { kind: "file", line: 2 } });
  expect(of("detection.min_similarity")).toMatchObject({ value: "0.80", origin: { kind: "file", line: 9 } });
  expect(of("webhooks.retry_delays")).toMatchObject({
    value: '["1s", "2s"]',
    origin: { kind: "file", line: 11 },
  });
  expect(of("scan.queries_per_second")).toMatchObject({ value: "200", origin: { kind: "default" } });
});

test("an address that was given on the command line replaces that of the file", () => {
  const listen = { host: "::1", port: 9090 };
  const shown = describeEffective({ path: "/etc/phishwatch.toml", text, listen }).settings;
  expect(shown.find(({ path }) => path === "server.listen")).toMatchObject({
    value: '"[::1]:9090"',
    origin: { kind: "command_line", option: "--listen" },
  });
});

test("a secret shows only its source, and an entry only its line", () => {
  expect(of("server.metrics_token")).toMatchObject({
    value: null,
    isSet: true,
    origin: { kind: "environment", name: "TOKEN", line: 3 },
  });
  expect(of("console.password")).toMatchObject({
    value: null,
    isSet: true,
    origin: { kind: "secret_file", path: "secrets/password", line: 5 },
  });
  expect(of("smtp.password")).toMatchObject({
    value: null,
    isSet: true,
    origin: { kind: "credential", name: "mail", line: 7 },
  });
  expect(entries.find(({ path }) => path === "api_keys")!.lines).toEqual([12, 15]);
  expect(JSON.stringify({ settings, entries })).not.toContain("secret-");
});

test("an unset secret is shown as not set", () => {
  const { settings: none } = describeEffective({ path: "x", text: '[console]\npassword = ""' });
  expect(none.find(({ path }) => path === "console.password")).toMatchObject({ value: null, isSet: false });
  expect(none.find(({ path }) => path === "server.metrics_token")).toMatchObject({
    value: null,
    isSet: false,
  });
});

test("every key of the schema is listed", () => {
  const count = (field: ReturnType<typeof fieldSchema>): number =>
    Object.values(field.properties!).reduce((sum, one) => sum + (one.kind === "table" ? count(one) : 1), 0);
  expect(settings.length + entries.length).toBe(count(fieldSchema(configSchema)));
});
