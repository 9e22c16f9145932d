import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signatureHeaders, verifySignatures } from "../../../src/messaging/channels/webhook/signing.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { findGo } from "../../support/programs.ts";

// Runs the manual's receivers, unchanged, against what the appliance sends.

const root = join(import.meta.dir, "../../..");
const page = readFileSync(join(root, "src/manual/webhooks.md"), "utf8");
const folder = temporaryFolder();
afterAll(folder.dispose);

function recipe(language: string, firstLine: string): string {
  const block = new RegExp(`\`\`\`${language}\\n(${firstLine}[\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
  if (block === undefined)
    throw new Error(`the manual has no ${language} block that starts with ${firstLine}`);
  return block;
}

interface Case {
  what: string;
  body: string;
  headers: Record<string, string>;
  secret: string;
  /** Expected results for X-Service-Signature and for webhook-signature. */
  service: boolean;
  standard: boolean;
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const previous = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const body = JSON.stringify({
  id: "evt_1",
  type: "threat.created",
  data: { threat: { domain: "exämple.test" } },
});
const cases = (now: number): Case[] => {
  const signed = (secrets: string[], sentAt = now, text = body) =>
    lowerCase(signatureHeaders({ eventId: "evt_1", body: Buffer.from(text), secrets, sentAt }));
  const fresh = signed([secret]);
  return [
    { what: "a delivery", body, headers: fresh, secret, service: true, standard: true },
    { what: "another body", body: `${body} `, headers: fresh, secret, service: false, standard: false },
    { what: "another secret", body, headers: fresh, secret: previous, service: false, standard: false },
    { what: "no signature", body, headers: {}, secret, service: false, standard: false },
    {
      what: "an old delivery",
      body,
      headers: signed([secret], now - 600_000),
      secret,
      service: true,
      standard: false,
    },
    {
      what: "a delivery from the future",
      body,
      headers: signed([secret], now + 600_000),
      secret,
      service: true,
      standard: false,
    },
    {
      what: "an invalid time",
      body,
      headers: { ...fresh, "webhook-timestamp": "soon" },
      secret,
      service: true,
      standard: false,
    },
    {
      what: "another identifier",
      body,
      headers: { ...fresh, "webhook-id": "evt_2" },
      secret,
      service: true,
      standard: false,
    },
    {
      what: "a rotation, seen with the new secret",
      body,
      headers: signed([secret, previous]),
      secret,
      service: true,
      standard: true,
    },
    {
      what: "a rotation, seen with the old secret",
      body,
      headers: signed([secret, previous]),
      secret: previous,
      service: false,
      standard: true,
    },
    {
      what: "a shortened signature",
      body,
      headers: { ...fresh, "x-service-signature": fresh["x-service-signature"]!.slice(0, -1) },
      secret,
      service: false,
      standard: true,
    },
  ];
};

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const verdicts = (all: Case[]) => all.map(({ what, service, standard }) => [what, service, standard]);

test("the manual's receiver in TypeScript without a library accepts exactly the valid signatures", async () => {
  const path = join(folder.path, "receiver.ts");
  writeFileSync(path, recipe("ts", "// receiver without a library"));
  const { isServiceSignature, isStandardWebhook } = (await import(path)) as Record<
    string,
    (body: Uint8Array, headers: Headers, secret: string) => boolean
  >;
  const all = cases(Date.now());
  const found = all.map(({ what, body: text, headers, secret: key }) => {
    const parameters = [Buffer.from(text), new Headers(headers), key] as const;
    return [what, isServiceSignature!(...parameters), isStandardWebhook!(...parameters)];
  });
  expect(found).toEqual(verdicts(all));
});

test("the manual's receiver in TypeScript with the Standard Webhooks library accepts exactly the valid signatures", async () => {
  // Beside the packages of the project, where the import is resolved.
  const path = join(root, "node_modules", ".cache", `receiver-${process.pid}.ts`);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, recipe("ts", "// receiver with a library"));
  const { verified } = (await import(path)) as {
    verified: (body: string, headers: Headers, secret: string) => unknown;
  };
  rmSync(path);
  const all = cases(Date.now());
  for (const { what, body: text, headers, secret: key, standard } of all) {
    const verify = () => verified(text, new Headers(headers), key);
    if (standard) expect([what, verify()]).toEqual([what, JSON.parse(text)]);
    else expect(verify, what).toThrow();
  }
});

test.skipIf(Bun.which("python3") === null)(
  "the manual's receiver in Python without a library accepts exactly the valid signatures",
  () => {
    const harness = `
import json, sys
for case in json.load(sys.stdin):
    parameters = (case["body"].encode(), case["headers"], case["secret"])
    print(json.dumps([case["what"], is_service_signature(*parameters), is_standard_webhook(*parameters)]))
`;
    const script = join(folder.path, "receiver.py");
    writeFileSync(script, recipe("python", "# receiver without a library") + harness);
    const all = cases(Date.now());
    const { stdout, stderr } = Bun.spawnSync(["python3", script], {
      stdin: Buffer.from(JSON.stringify(all)),
    });
    expect(stderr.toString()).toBe("");
    expect(
      stdout
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(verdicts(all));
  },
);

test.skipIf(findGo() === undefined)(
  "the manual's receiver in Go without a library accepts exactly the valid signatures",
  () => {
    const harness = `
func TestCases(t *testing.T) {
	text, _ := os.ReadFile("cases.json")
	var cases []struct {
		What, Body, Secret string
		Headers            map[string]string
		Service, Standard  bool
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		if IsServiceSignature([]byte(one.Body), headers, one.Secret) != one.Service {
			t.Error("X-Service-Signature:", one.What)
		}
		if IsStandardWebhook([]byte(one.Body), headers, one.Secret) != one.Standard {
			t.Error("webhook-signature:", one.What)
		}
	}
}
`;
    const module = join(folder.path, "receiver");
    mkdirSync(module);
    writeFileSync(join(module, "go.mod"), "module receiver\n\ngo 1.19\n");
    writeFileSync(join(module, "receiver.go"), recipe("go", "// receiver without a library"));
    writeFileSync(
      join(module, "receiver_test.go"),
      `package receiver\n\nimport (\n\t"encoding/json"\n\t"net/http"\n\t"os"\n\t"testing"\n)\n${harness}`,
    );
    writeFileSync(join(module, "cases.json"), JSON.stringify(cases(Date.now())));
    const { exitCode, stdout, stderr } = Bun.spawnSync(["go", "test", "./..."], { cwd: module });
    expect([exitCode, exitCode === 0 ? "" : `${stdout}${stderr}`]).toEqual([0, ""]);
  },
  120_000,
);

describe("webhooks listen", () => {
  test("verifySignatures gives the same results as the recipes", () => {
    const now = Date.now();
    for (const { what, body: text, headers, secret: key, service, standard } of cases(now)) {
      const found = verifySignatures({
        header: (name) => headers[name] ?? null,
        body: Buffer.from(text),
        secret: key,
        now,
      });
      expect([what, found.service === "valid", found.standard === "valid"]).toEqual([
        what,
        service,
        standard,
      ]);
    }
  });
});
