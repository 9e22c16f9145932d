import { afterAll, expect, test } from "bun:test";
import { operations } from "../../src/sandbox/control/control.ts";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox({ empty: true });
afterAll(sandbox.stop);

const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, "soc");

for (const { method, path, body } of operations) {
  test(`${method} ${path} rejects an unknown query parameter before it reads the body`, async () => {
    const { status, json } = await sandbox.call(
      method,
      `${concrete(path)}?unknown=1`,
      body === undefined ? {} : { body: "{" },
    );
    expect([status, json.error]).toEqual([
      400,
      { code: "bad_request", message: expect.stringContaining('There is no parameter "unknown"') },
    ]);
  });

  if (body === undefined) continue;
  test(`${method} ${path} rejects malformed JSON and unknown fields`, async () => {
    const malformed = await sandbox.call(method, concrete(path), { body: "{" });
    expect([malformed.status, malformed.json.error.message]).toEqual([400, "The body is not valid JSON."]);
    const unknown = await sandbox.call(method, concrete(path), { body: { unknown: 1 } });
    expect([unknown.status, unknown.json.error.message]).toEqual([
      400,
      'There is no field "unknown"; remove it.',
    ]);
  });
}
