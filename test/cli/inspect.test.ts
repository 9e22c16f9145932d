import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandFolder, defaultConfig } from "../support/command-line.ts";

const folder = commandFolder(defaultConfig.replace("enabled = false", "enabled = true"));
afterAll(folder.dispose);

test("inspect says of each address what became of it, and fails if one could not be inspected", async () => {
  const addresses = ["https://192.0.2.7/x", "www.example-bank.com", "hxxps://evil[.]example/login"];
  const { code, err, out } = await folder.run(["inspect", ...addresses]);
  expect(code).toBe(1);
  expect(err).toContain("2 of 3 addresses could not be inspected");
  expect(out).toContain("https://192.0.2.7/x\trefused\t\t\t\n    names an IP address");
  expect(out).toContain("www.example-bank.com\trefused\t\t\t\n    is your own or an allowed name");
  // The resolver does not respond.
  expect(out).toContain("https://evil.example/login\tfailed\t\t\t\n    DNS gave no definite response");
  const recorded = await folder.run(["inspect", "--json", "https://evil.example/login"]);
  expect(JSON.parse(recorded.out)).toMatchObject({ domain: "evil.example", result: "failed", known: true });
});

test("inspect opens the links of an email, not the domain of its sender, and own names are no failure", async () => {
  writeFileSync(
    join(folder.path, "mail.eml"),
    "From: a@mailer.example\r\nSubject: x\r\n\r\nSee https://www.example-bank.com/help\r\n",
  );
  const { code, out } = await folder.run(["inspect", "--file", "mail.eml"]);
  expect(out).toStartWith("https://www.example-bank.com/help\trefused");
  expect(out).not.toContain("mailer.example");
  expect(code).toBe(0);
});

test("inspect without an address says how to name one", async () => {
  const { code, err } = await folder.run(["inspect"]);
  expect(code).toBe(2);
  expect(err).toContain("name an address, or a list with --file");
});
