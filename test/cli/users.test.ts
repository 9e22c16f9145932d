import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";

let folder: CommandFolder;
beforeAll(
  () => void (folder = commandFolder(`${defaultConfig}\n[console]\npassword = "a password for tests"\n`)),
);
afterAll(() => folder.dispose());

const run = (...args: string[]) => folder.runHere(["users", ...args]);

test("`users` adds an account, prints its invitation, sets its password from standard input, and reports errors", async () => {
  const added = await run("add", "Alice@Example.com", "--role", "analyst");
  expect([added.code, added.out]).toEqual([
    0,
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/invitation\/[\w-]{43}\n$/),
  ]);
  const { out } = await run("list");
  expect(out).toMatch(/alice@example\.com +analyst +local +off .* invited/);
  expect(out).toMatch(/admin +administrator .* password in the configuration/);
  const set = await folder.run(["users", "reset", "ALICE@example.com", "--password-stdin", "--json"], {
    stdin: "correct horse battery\n",
  });
  expect([set.code, JSON.parse(set.out)]).toEqual([
    0,
    expect.objectContaining({ name: "alice@example.com", has_password: true, has_codes: false }),
  ]);
  expect(set.out).not.toMatch(/argon2|hash/);
  const last = await run("role", "admin", "owner");
  expect([last.code, last.err]).toEqual([2, expect.stringContaining("viewer, analyst, administrator")]);
  const refused = await run("disable", "admin");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("the last administrator")]);
});
