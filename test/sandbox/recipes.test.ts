import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientPath, renderClient } from "../../scripts/generate-client.ts";
import { sandboxDockerfile } from "../../scripts/packaging/contents.ts";
import { withTables } from "../../scripts/render-sandbox.ts";
import { quickest } from "../support/command-line.ts";
import { findGo, findNode, findPytest } from "../support/programs.ts";
import { openSandbox } from "../support/sandbox.ts";

// Copies the recipes of the manual into an empty folder, unchanged, and runs them.

const root = join(import.meta.dir, "../..");
const page = readFileSync(join(root, "src/manual/sandbox.md"), "utf8");
const folders: string[] = [];
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

function recipe(file: string): string {
  const block = new RegExp(
    `\`\`\`\\w+\\n((?://|#) recipe: ${file.replaceAll(".", "\\.")}[^]*?\\n)\`\`\``,
  ).exec(page)?.[1];
  if (block === undefined) throw new Error(`the manual has no recipe ${file}`);
  return block;
}

function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "phishwatch-recipe-"));
  folders.push(path);
  return path;
}

/** Copies a recipe into an empty folder and runs it there. Returns exit code and output. */
async function run(file: string, command: string[]): Promise<{ code: number; output: string }> {
  const folder = emptyFolder();
  writeFileSync(join(folder, file), recipe(file));
  // The command must be a single word.
  const program = join(folder, "bin", "phishwatch");
  mkdirSync(join(folder, "bin"));
  writeFileSync(program, `#!/bin/sh\nexec ${quickest.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  const running = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, PHISHWATCH: program },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
    running.exited,
  ]);
  return { code, output: out + err };
}

describe("the manual's recipe", () => {
  test("with curl ends with a delivery that failed after five attempts", async () => {
    const block = /```sh\n(S=http:\/\/127\.0\.0\.1:40131\/sandbox [^]*?)```/.exec(page)![1]!;
    const sandbox = await openSandbox();
    try {
      const lines = block.replace("http://127.0.0.1:40131/sandbox", sandbox.ready.control_url);
      const running = Bun.spawn(["sh", "-euc", lines], { stdin: "ignore", stdout: "pipe" });
      const output = await new Response(running.stdout).text();
      const [delivery] = JSON.parse(output.slice(output.lastIndexOf('{"data":['))).data;
      expect(delivery).toMatchObject({ status: "failed", attempts: { length: 5 } });
    } finally {
      sandbox.stop();
    }
  });

  test("for bun test passes", async () => {
    const { code, output } = await run("phishwatch.test.ts", [process.execPath, "test", "--timeout=30000"]);
    expect(output).toContain("2 pass");
    expect(code).toBe(0);
  });

  test.skipIf(findNode() === undefined)("for node:test passes", async () => {
    const { code, output } = await run("phishwatch.test.mjs", ["node", "--test"]);
    expect(output).toMatch(/pass 2\b/);
    expect(code).toBe(0);
  });

  const pytest = findPytest();
  test.skipIf(pytest === undefined)(
    "for pytest passes",
    async () => {
      const { code, output } = await run("test_phishwatch.py", [...pytest!, "-q", "-p", "no:cacheprovider"]);
      expect(output).toContain("2 passed");
      expect(code).toBe(0);
    },
    60_000,
  );

  test.skipIf(findGo() === undefined)(
    "for Go passes",
    async () => {
      const { code, output } = await run("phishwatch_test.go", [
        "sh",
        "-c",
        "go mod init phishwatch && go test ./...",
      ]);
      expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    },
    120_000,
  );

  test("for Testcontainers is valid TypeScript", () => {
    const script = new Bun.Transpiler({ loader: "ts" }).transformSync(recipe("container.test.ts"));
    expect(script).toContain("GenericContainer");
  });

  test("for GitHub Actions is valid YAML with a service", () => {
    const workflow = Bun.YAML.parse(recipe(".github/workflows/test.yml")) as {
      jobs: { test: { services: { phishwatch: { ports: string[] } }; steps: object[] } };
    };
    expect(workflow.jobs.test.services.phishwatch.ports).toEqual(["8080:8080"]);
    expect(workflow.jobs.test.steps).toHaveLength(2);
  });
});

test("the container image contains the built executable, and its steps are known instructions", () => {
  const text = sandboxDockerfile();
  const steps = text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const known = /^(FROM|RUN|COPY|USER|EXPOSE|HEALTHCHECK|CMD) /;
  expect(steps.filter((step) => !known.test(step))).toEqual([]);
  expect(steps[0]).toStartWith("FROM ");
  expect(text).toContain("COPY phishwatch ");
  for (const step of steps.filter((one) => /^(CMD|HEALTHCHECK) /.test(one)))
    expect(JSON.parse(step.slice(step.indexOf("["))).every((word: unknown) => typeof word === "string")).toBe(
      true,
    );
});

test("the tables of the manual match the program (otherwise run scripts/render-sandbox.ts)", () => {
  expect(withTables(page)).toBe(page);
});

test("the client is up to date with the OpenAPI documents (run scripts/generate-client.ts)", () => {
  // The formatter breaks lines and adds the punctuation that goes with it.
  const plain = (text: string) => text.replaceAll(/[\s;,|()]/g, "");
  expect(plain(readFileSync(clientPath, "utf8"))).toBe(plain(renderClient()));
});
