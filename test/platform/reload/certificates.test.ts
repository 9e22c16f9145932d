import { writeFileSync } from "node:fs";
import { join } from "node:path";
import tls from "node:tls";
import { afterEach, expect, test } from "bun:test";
import type { TestableServer } from "../../../src/web/api/server.ts";
import { manualClock } from "../../support/appliance.ts";
import { createAuthority, issue, type Certificate } from "../../support/certificates.ts";
import { openReloadable, type Reloadable } from "../../support/reloadable.ts";

const authority = createAuthority();
const certificateOf = (name: string, validity?: { notBefore: number; notAfter: number }) =>
  issue(authority, [name, "127.0.0.1"], validity);

let opened: Reloadable;
afterEach(async () => {
  await opened.app.server.stop(0);
  await opened.dispose();
});

function openSecure() {
  opened = openReloadable("", {
    // Certificates end at a real time.
    clock: { ...manualClock(), now: Date.now },
    server: `tls_cert = "cert.pem"\ntls_key = "key.pem"`,
    files: write,
  });
  opened.app.server.listen();
  return { ...opened, port: (opened.app.server as TestableServer).port! };
}

function write(folder: string, { cert, key }: Certificate = certificateOf("first.test")): void {
  writeFileSync(join(folder, "cert.pem"), cert);
  writeFileSync(join(folder, "key.pem"), key);
}

/** Makes one request over a connection of its own. Returns the name in the certificate. */
function request(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    ca: authority.cert,
    checkServerIdentity: () => undefined,
  });
  let name = "";
  let received = "";
  socket.on("secureConnect", () => {
    name = String(socket.getPeerCertificate().subject.CN);
    socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  });
  socket.on("data", (data: Buffer) => void (received += data.toString()));
  socket.on("error", reject);
  socket.on("close", () =>
    received.startsWith("HTTP/1.1 200") ? resolve(name) : reject(new Error(`closed: ${received}`)),
  );
  return promise;
}

test.skipIf(process.platform !== "linux")(
  "changed certificates are used for new connections, and no connection fails while they are replaced",
  async () => {
    const { app, folder, port } = openSecure();
    const kept = await fetch(`https://127.0.0.1:${port}/healthz`, { tls: { rejectUnauthorized: false } });
    expect(kept.status).toBe(200);
    const failures: unknown[] = [];
    const done = new AbortController();
    let requests = 0;
    const load = Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted) {
        await request(port).catch((error: unknown) => void failures.push(error));
        requests += 1;
      }
    });

    for (let count = 0; count < 12; count += 1) {
      write(folder, certificateOf(`swap-${count}.test`));
      const outcome = await app.reload!.run("file");
      expect(outcome.applied).toEqual(["server.tls_cert: new certificate"]);
      expect(await request(port)).toBe(`swap-${count}.test`);
    }
    done.abort();
    await Promise.all(load);

    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(12);
  },
);

test.each([
  [
    "does not match its key",
    "the key does not match the certificate",
    () => ({ ...certificateOf("a.test"), key: certificateOf("b.test").key }),
  ],
  [
    "has expired",
    "the certificate expired on",
    () => certificateOf("old.test", { notBefore: 0, notAfter: 86_400_000 }),
  ],
  ["is not PEM", "cannot be used", () => ({ cert: "half a file", key: "" })],
])("a certificate that %s is rejected, and the previous one stays", async (_, reason, pair) => {
  const { app, folder, port } = openSecure();
  write(folder, pair());

  const outcome = await app.reload!.run("file");

  expect(outcome).toMatchObject({ result: "failed", exitCode: 2 });
  expect(outcome.errors[0]).toContain(reason);
  expect(await request(port)).toBe("first.test");
});

test("a reload that fails for another reason does not use the new certificate", async () => {
  const { app, folder, port, reload } = openSecure();
  const by = { channel: "console" as const, name: "test", address: null };
  const { key } = app.keys.create({ name: "of the console" }, { by });
  write(folder, certificateOf("second.test"));

  const outcome = await reload(`[[api_keys]]\nname = "ci"\nkey = "${key}"\n`);

  expect(outcome.result).toBe("failed");
  expect(await Promise.all([request(port), request(port), request(port)])).toEqual([
    "first.test",
    "first.test",
    "first.test",
  ]);
});
