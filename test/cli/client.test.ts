import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { findManualPage } from "../../src/manual/manual.ts";
import { commandFolder } from "../support/command-line.ts";
import { openApi } from "../support/api.ts";
import { openSandbox } from "../support/sandbox.ts";

let folder: ReturnType<typeof commandFolder>;
beforeAll(() => void (folder = commandFolder()));
afterAll(() => folder.dispose());

const root = join(import.meta.dir, "../..");
const typescript = readFileSync(join(root, "scripts/client/phishwatch.ts"), "utf8");

test("`phishwatch client typescript` prints the client that the server offers", async () => {
  const { code, out } = await folder.run(["client", "typescript"]);
  expect(code).toBe(0);
  expect(out).toBe(typescript);
  const api = openApi();
  try {
    expect((await api.call("GET", "/docs/clients/phishwatch.ts")).text).toBe(typescript);
  } finally {
    await api.dispose();
  }
});

test("`phishwatch client` rejects another language and names those that there are", async () => {
  expect(await folder.run(["client", "cobol"])).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining('the language must be typescript, not "cobol"'),
  });
});

test("`phishwatch openapi` prints a valid document with the address that is given", async () => {
  const { code, out } = await folder.run(["openapi", "--url", "https://phishwatch.example/"]);
  expect(code).toBe(0);
  const document = JSON.parse(out) as { servers: object; paths: object };
  expect(document.servers).toEqual([{ url: "https://phishwatch.example/v1" }]);
  expect((await new Validator().validate(document)).valid).toBe(true);
  const api = openApi();
  try {
    const { json } = await api.call("GET", "/openapi.json");
    expect(document.paths).toEqual(json.paths);
  } finally {
    await api.dispose();
  }
});

test("`phishwatch openapi` has the default address of a server, and rejects what is no address, or one with a path", async () => {
  const { out } = await folder.run(["openapi"]);
  expect((JSON.parse(out) as { servers: object }).servers).toEqual([{ url: "http://127.0.0.1:8080/v1" }]);
  expect(await folder.run(["openapi", "--url", "phishwatch.example"])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--url must be an http or https URL, not "phishwatch.example"'),
  });
  // The document adds /v1 itself.
  expect(await folder.run(["openapi", "--url", "https://phishwatch.example/v1"])).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining(
      "--url must be an address without a path, such as https://phishwatch.example\n",
    ),
  });
});

test("the example of the manual runs against a server with the client that the command prints", async () => {
  const example = /```ts\n(\/\/ recipe: threats\.ts\n[^]*?)```/.exec(findManualPage("clients")!.text)![1]!;
  writeFileSync(join(folder.path, "phishwatch.ts"), typescript);
  writeFileSync(join(folder.path, "threats.ts"), example);
  const { ready, stop } = await openSandbox();
  try {
    const running = Bun.spawn([process.execPath, "threats.ts"], {
      cwd: folder.path,
      env: { ...process.env, PHISHWATCH_URL: ready.url, PHISHWATCH_KEY: ready.keys.read },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, errors] = await Promise.all([
      new Response(running.stdout).text(),
      new Response(running.stderr).text(),
    ]);
    expect(errors).toBe("");
    expect(out).toMatch(/^\d+ active threats, for example [a-z0-9.-]+\n404 not_found\n$/);
  } finally {
    stop();
  }
});
