import type { Subprocess } from "bun";

export interface Sandbox {
  url: string;
  control: string;
  keys: { [name: string]: string };
  password: string;
  stop(): Promise<void>;
}

/** Starts a sandbox. The port is the same for both builds, because responses contain it. */
export async function startSandbox(executable: string, port: number, ...options: string[]): Promise<Sandbox> {
  const child = Bun.spawn([executable, "sandbox", "--port", `${port}`, "--exit-with-parent", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    env: environment,
  });
  const ready = JSON.parse(await firstLine(child)) as {
    url: string;
    control_url: string;
    keys: { [name: string]: string };
    console_password: string;
  };
  return {
    url: ready.url,
    control: ready.control_url,
    keys: ready.keys,
    password: ready.console_password,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Environment of every process: nothing of the caller's changes what a build does. */
export const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", NODE_ENV: "production" };

async function firstLine(child: Subprocess<"ignore", "pipe", "inherit">): Promise<string> {
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`the sandbox ended with ${await child.exited} before it was ready`);
}

/** Returns a port that is free now. */
export function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  if (port === undefined) throw new Error("no free port");
  return port;
}

/** Headers that say nothing about a build. */
const ignoredHeaders = new Set([
  "date",
  "content-length",
  "x-request-id",
  "set-cookie",
  "etag",
  "last-modified",
]);

/** Returns status, headers and body of a response as text. */
export async function describeResponse(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !ignoredHeaders.has(name)).sort();
  const type = response.headers.get("content-type") ?? "";
  const body = /json|text|javascript|xml|stix/.test(type)
    ? await response.text()
    : `${Bun.hash(await response.bytes())}`;
  return `${response.status}\n${headers.map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${body}`;
}
