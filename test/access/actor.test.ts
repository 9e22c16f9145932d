import { expect, test } from "bun:test";
import { actorJson, configurationFile, describeActor, system } from "../../src/access/audit/actor.ts";

test.each([
  [{ channel: "console", name: null, address: "192.0.2.7" }, "console, 192.0.2.7"],
  [{ channel: "console", name: "ada", address: "192.0.2.7" }, "ada (console), 192.0.2.7"],
  [{ channel: "api", name: "ada (console)", address: null }, "API key ada (console)"],
  [{ channel: "api", name: "ci\u202e", address: null }, "API key ci\\u{202e}"],
  [{ channel: "command_line", name: "root", address: null }, "command line root"],
  [configurationFile, "configuration file"],
  [system, "system"],
] as const)("the actor %j is described with channel, name and address, escaped: %s", (actor, text) => {
  expect(describeActor(actor)).toBe(text);
});

test("the JSON form of an actor keeps the field names that programs read", () => {
  expect(actorJson({ channel: "api", name: "ci", address: null })).toEqual({
    via: "api",
    name: "ci",
    address: null,
  });
});
