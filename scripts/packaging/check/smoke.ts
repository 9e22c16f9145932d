import { projectPackage } from "../source.ts";
import { run, type Environment } from "./environment.ts";

/** Emulated processors take many times longer than real ones. */
const startTimeoutMs = 180_000;
const requestTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;

/**
 * Runs phishwatch as a new user does: version, configuration, check, match; then the server, to which a look-alike is
 * submitted, until it stops.
 * @throws an error that says which step failed
 */
export async function smokeTest({ command, folder }: Environment, { port }: { port: number }): Promise<void> {
  const options = folder === null ? [] : ["--config", `${folder}/phishwatch.toml`];
  expectPart(run(command(["version"])), `phishwatch ${projectPackage.version} `);
  // A new configuration protects example-bank.com; the one that phishwatch finds protects nothing yet.
  run(
    command(folder === null ? ["domains", "add", "example-bank.com"] : ["init", `${folder}/phishwatch.toml`]),
  );
  run(command(["check", "--offline", ...options]));
  const matches = run(command(["match", "--protect", "example-bank.com"]), {
    input: "examp1e-bank.com\nexample.org\n",
  });
  expectPart(matches, "examp1e-bank.com\texample-bank.com\thomograph\t");

  const words = ["serve", "--print-secrets", "--listen", `127.0.0.1:${port}`, ...options];
  const server = Bun.spawn(command(words), { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const errors = new Response(server.stderr).text();
  const overdue = setTimeout(() => server.kill("SIGKILL"), startTimeoutMs);
  try {
    const key = await readKey(server.stdout);
    if (key === undefined) throw new Error(`the server did not start: ${await errors}`);
    run(command(["check", "--running", "--url", `http://127.0.0.1:${port}`, ...options]));
    await useApi(`http://127.0.0.1:${port}`, key);
    clearTimeout(overdue);
    const late = setTimeout(() => server.kill("SIGKILL"), stopTimeoutMs);
    server.kill("SIGTERM");
    const code = await server.exited;
    clearTimeout(late);
    if (code !== 0) throw new Error(`the server exited with code ${code}: ${await errors}`);
  } finally {
    clearTimeout(overdue);
    server.kill("SIGKILL");
  }
}

/** Checks readiness, submits a look-alike and reads it back. */
export async function useApi(url: string, key: string): Promise<void> {
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${body}`);
    return body;
  };
  expectPart(await request("/readyz"), `"status":"ready"`);
  const body = JSON.stringify({ domains: ["examp1e-bank.com"] });
  await request("/v1/candidates", { method: "POST", body });
  expectPart(await request("/v1/threats"), `"examp1e-bank.com"`);
}

/** Returns the API key that the first start prints, or undefined if the output ends before. */
async function readKey(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
    const key = /Bearer (pw_\w+)/.exec(text)?.[1];
    if (key !== undefined) {
      // The server would wait if nobody read the rest.
      void drain(reader);
      return key;
    }
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

function expectPart(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`expected ${JSON.stringify(part)} in: ${text.slice(0, 2000)}`);
}
