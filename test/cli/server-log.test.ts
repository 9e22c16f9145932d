import { afterEach, describe, expect, test } from "bun:test";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
afterEach(() => folder.dispose());

describe("the log of the server", () => {
  const lines = (text: string) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test("The log says at startup which version runs, where it listens, and what it works on", async () => {
    folder = commandFolder(`${defaultConfig}\n[traps]\nlisten = "127.0.0.1:0"\n`);
    const server = await folder.serve();
    await until(() => server.err().includes("phishwatch started"), "logged");
    const started = lines(server.err()).find(({ message }) => message === "phishwatch started");
    expect(started).toMatchObject({
      level: "info",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      configuration: expect.stringMatching(/phishwatch\.toml$/),
      database: expect.stringMatching(/\.db$/),
      url: server.url,
      event: "server.started",
      domainCount: expect.any(Number),
      feedCount: 0,
      endpointCount: 0,
    });
    const listen = started!["listen"] as string[];
    expect(listen).toHaveLength(2);
    for (const address of listen) expect(address).toMatch(/^127\.0\.0\.1:[1-9]\d+$/);
    expect(
      server
        .out()
        .split("\n")
        .filter((line) => line.includes("ready on")),
    ).toHaveLength(1);
    await server.stop();
  });

  test("The log has one line for each configuration change, also for those of other processes, and no secret", async () => {
    folder = commandFolder(defaultConfig);
    const server = await folder.serve();
    const changes = () => lines(server.err()).filter(({ message }) => message === "configuration changed");
    // The first start creates a key after the server is ready.
    await until(() => changes().length === 2, "the first start is logged");
    const added = await folder.run([
      "webhooks",
      "add",
      "https://127.0.0.1:9/path",
      "--name",
      "soc",
      "--json",
    ]);
    const { secret } = JSON.parse(added.out) as { secret: string };
    await folder.run(["webhooks", "disable", "soc"]);
    const key = await folder.run(["keys", "create", "--name", "ci", "--scope", "threats:read"]);
    await until(() => changes().length >= 5, "logged");
    expect(changes().map(({ action }) => action)).toEqual([
      "domain.add",
      "key.create",
      "webhook.add",
      "webhook.disable",
      "key.create",
    ]);
    expect(changes()[2]).toMatchObject({
      level: "info",
      subject: expect.stringContaining("soc"),
      by: expect.stringContaining("command line"),
    });
    const { err } = await server.stop();
    for (const text of [secret, key.out.trim()]) expect(err).not.toContain(text);
  });
});
