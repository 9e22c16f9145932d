import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openApi } from "../../support/api.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { findChromium } from "../../support/chromium.ts";

const chromium = findChromium();
const timeoutMs = 60_000;

/** Opens a page in a real browser. Returns its document, the requested URLs and the console messages. */
async function visit(url: string): Promise<{ document: string; requested: string[]; complaints: string[] }> {
  const folder = temporaryFolder();
  const netLog = `${folder.path}/net.json`;
  const browser = Bun.spawn(
    [
      chromium!,
      "--headless",
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-quic",
      "--no-first-run",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      `--user-data-dir=${folder.path}/profile`,
      `--log-net-log=${netLog}`,
      "--enable-logging=stderr",
      "--virtual-time-budget=20000",
      "--dump-dom",
      url,
    ],
    { stdout: "pipe", stderr: "pipe", timeout: timeoutMs },
  );
  const [document, errors] = await Promise.all([
    new Response(browser.stdout).text(),
    new Response(browser.stderr).text(),
  ]);
  await browser.exited;
  const { events, constants } = JSON.parse(readFileSync(netLog, "utf8")) as {
    events: { type: number; params?: { url?: string; initiator?: string } }[];
    constants: { logEventTypes: Record<string, number> };
  };
  const started = constants.logEventTypes["URL_REQUEST_START_JOB"];
  // The browser also sends requests of its own; those of the page have the page as initiator.
  const requested = events
    .filter(({ type, params }) => type === started && params?.initiator === new URL(url).origin)
    .map(({ params }) => params?.url ?? "");
  folder.dispose();
  return { document, requested, complaints: errors.split("\n").filter((line) => line.includes("CONSOLE")) };
}

test.skipIf(chromium === undefined)(
  "a browser shows the API reference without loading other origins and without policy violations",
  async () => {
    const api = openApi({ server: { publicUrlIsDefault: true } });
    const { url } = api.server.listen();
    const { document, requested, complaints } = await visit(`${url}/docs/api`);
    await api.server.stop();
    api.dispose();
    for (const text of ["/threats/batch", "List threats", "Submit names to check", "threat.resolved"]) {
      expect(document).toContain(text);
    }
    expect(complaints).toEqual([]);
    expect(requested).toContain(`${url}/docs/manual.css`);
    expect(requested.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
  },
  timeoutMs,
);
