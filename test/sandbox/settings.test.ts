import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load.ts";
import { defaultConfig } from "../../src/sandbox/settings.ts";

test("the configuration of a sandbox is the file's defaults with what leaves the machine switched off", () => {
  const text = `
[storage]
path = ":memory:"
[scan]
schedule = ""
registration_data = false
screenshots = "off"
[webhooks]
allow_http = true
[log]
level = "warn"
`;
  const loaded = loadConfig({
    path: "sandbox.toml",
    text,
    env: {},
    readFile: () => {
      throw new Error("there is no file");
    },
  });
  if (!loaded.ok) throw new Error("the text is no configuration");
  const { source: _file, ...config } = loaded.config;
  expect(config).toEqual(defaultConfig());
});
