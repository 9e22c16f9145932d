import { expect, test } from "bun:test";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { commandFolder } from "../support/command-line.ts";

test("a start that fails after the server listens stops it before the database is closed, and never says that it is ready", async () => {
  const folder = commandFolder();
  try {
    const file = join(realpathSync(folder.path), "data/test.db.secrets.txt");
    mkdirSync(file, { recursive: true });
    const { code, out, err } = await folder.runHere(["serve"]);
    expect(code).toBe(1);
    expect(err).toContain(`cannot write the secrets of the first start to ${file}`);
    expect(out).toBe("");
    const { url } = JSON.parse(/^.*"server.started".*$/m.exec(err)![0]) as { url: string };
    await expect(fetch(url)).rejects.toThrow("Unable to connect");
  } finally {
    folder.dispose();
  }
});
