import { verifySignatures } from "../../messaging/channels/webhook/signing.ts";
import { systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { command, FailedError } from "../terminal/command.ts";
import { jsonFlag, number } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import { readSecret, secretFlag } from "../entries/entry-fields.ts";
import { codeOf } from "../../platform/lib/errors.ts";

const bodyBytesMax = 1_048_576;
const bodyCharactersShownMax = 10_000;

export const listenCommand = command({
  name: "listen",
  flags: {
    port: number("--port <port>", { minimum: 0, maximum: 65_535, whole: true }, 9_000),
    secretFile: secretFlag,
    status: number("--status <status>", { minimum: 200, maximum: 599, whole: true }, 200),
    json: jsonFlag,
  },
  async run({ options, terminal: { out, err, interruption } }) {
    const { status, json } = options;
    const secret = await readSecret(options.secretFile);
    const stop = interruption();
    const server = serve(options.port, async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const text = new TextDecoder().decode(body);
      const now = systemClock.now();
      const header = (name: string) => request.headers.get(name);
      const verdicts = secret === undefined ? undefined : verifySignatures({ header, body, secret, now });
      if (json)
        printJson(out, { at: toIsoTime(now), ...verdicts, headers: request.headers.toJSON(), body: text });
      else {
        const { pathname } = new URL(request.url);
        out.write(`${toIsoTime(now)}  ${request.method} ${visible(pathname)}  ${describe(verdicts)}\n`);
        out.write(
          `  ${visible(header("webhook-id") ?? "no webhook-id")}\n  ${visible(text, bodyCharactersShownMax)}\n`,
        );
      }
      out.flush();
      return new Response(`received, HTTP status ${status}\n`, { status });
    });
    err.write(
      `listening on http://127.0.0.1:${server.port}/${secret === undefined ? "; signatures are verified only with --secret-file" : ""}\n`,
    );
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      else stop.addEventListener("abort", () => resolve(), { once: true });
    });
    await server.stop(true);
  },
});

function describe(verdicts: { service: string; standard: string } | undefined): string {
  if (verdicts === undefined) return "signatures not verified";
  return `X-Service-Signature ${verdicts.service}, webhook-signature ${verdicts.standard}`;
}

function serve(port: number, fetch: (request: Request) => Promise<Response>) {
  try {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      reusePort: false,
      maxRequestBodySize: bodyBytesMax,
      fetch,
    });
  } catch (error) {
    const code = codeOf(error);
    throw new FailedError(
      code === "EADDRINUSE"
        ? `port ${port} is in use; choose another with --port`
        : `port ${port} cannot be used (${code ?? String(error)})`,
    );
  }
}
