/** Checks of new domains against the archive by a server, with names and domains from other processes. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { commandFolder } from "../../support/command-line.ts";
import { until } from "../../support/until.ts";

const folder = commandFolder();
afterAll(() => folder.dispose());

function query<Row>(sql: string): Row[] {
  const database = new Database(join(folder.path, "data/test.db"), { readonly: true });
  try {
    return database.query<Row, []>(sql).all();
  } finally {
    database.close();
  }
}

const stateOf = (domain: string) =>
  query<{ state: string }>(
    `select state from archive_checks join protected_domains on seq = protected_domain_seq where domain = '${domain}'`,
  )[0]?.state;

const count = (sql: string) => query<{ total: number }>(`select count(*) as total from ${sql}`)[0]!.total;

test("A server that is killed during the check of a domain finds everything in the end, and records nothing twice", async () => {
  const planted = 200;
  const lines = Array.from({ length: 60_000 }, (_, number) =>
    number % 600 === 0 ? `kestrelpost-login-${number}.com` : `name-${number}-of-nobody.example`,
  );
  for (let number = 0; number < planted - 100; number++) lines.push(`kestrelpost-pay-${number}.net`);
  lines.push("zephyrmail-login.com");
  const list = folder.file("names.txt", lines.join("\n"));
  const imported = await folder.run(["import", "--observed-at", "2026-05-03", list]);
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining("0 matched") });
  const added = await folder.run(["domains", "add", "kestrelpost.com"]);
  expect(added.err).toContain("the server checks the 60,101 names seen before");

  let server = await folder.serve();
  for (let threats = 1; threats < planted; threats += planted / 2) {
    await until(
      () => count("threats") >= threats || stateOf("kestrelpost.com") === "completed",
      "some threats are found",
    );
    await server.stop("SIGKILL");
    server = await folder.serve();
  }
  await until(() => stateOf("kestrelpost.com") === "completed", "the check is complete");
  expect(count("threats")).toBe(planted);
  expect(count("(select distinct domain from threats)")).toBe(planted);
  expect(count("events where type = 'threat.created'")).toBe(planted);
  expect(query("select distinct source, first_seen from threats")).toEqual([
    { source: "feed", first_seen: Date.UTC(2026, 4, 3) },
  ]);

  // A domain that a command adds while the server runs.
  expect((await folder.run(["domains", "add", "zephyrmail.com"])).code).toBe(0);
  await until(() => stateOf("zephyrmail.com") === "completed", "the check of the second domain is complete");
  expect(count("threats where domain = 'zephyrmail-login.com'")).toBe(1);
  expect(count("threats")).toBe(planted + 1);
  expect((await server.stop()).code).toBe(0);
}, 60_000);
