import { expect, test } from "bun:test";
import { join } from "node:path";
import { findManualPage } from "../../../src/manual/manual.ts";
import type { AirGapPlan } from "../../support/air-gap-world.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { quickest } from "../../support/command-line.ts";
import { ownNetwork } from "../../support/own-network.ts";

const network = ownNetwork();
const key = "a-key-for-the-air-gapped-network";
const password = "a-password-of-the-console";
const [, manualConfig = ""] = /```toml\n([^]*?)```/.exec(findManualPage("air-gap")!.text) ?? [];
const config = `[server]
listen = "127.0.0.1:0"
[console]
password = "${password}"
[storage]
path = "data/test.db"
[log]
format = "json"
[webhooks]
allow_http = true
allow_private_networks = true
${manualConfig}
[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "soc"
key = "${key}"
plan = "enterprise"
scopes = ["threats:read", "threats:write"]
`;

test.skipIf(network === undefined)(
  "With the configuration of the manual, the whole work without a network tries to send no packet, with and without a route",
  async () => {
    const folder = temporaryFolder();
    const plan: AirGapPlan = { folder: folder.path, command: quickest, key, password, config };
    try {
      const script = join(import.meta.dir, "../../support/air-gap-world.ts");
      const world = Bun.spawn([...network!, process.execPath, script, JSON.stringify(plan)], {
        stdio: ["ignore", "pipe", "inherit"],
        timeout: 60_000,
      });
      const seen = JSON.parse(await new Response(world.stdout).text()) as Record<string, unknown>;
      const done = { imported: 0, triaged: 200, page: 200, check: 0, ready: 200 };
      expect(seen).toMatchObject({
        isolated: {
          ...done,
          search: 0,
          backup: 0,
          threats: ["example-bank-login.com", "secure-example-bank.net"],
        },
        isolatedAttempts: { ipv4: 0, ipv6: 0, sent: 0 },
        routed: { ...done, threats: expect.arrayContaining(["example-bank-support.com"]) },
        routedPackets: 0,
        code: 0,
        warnings: [],
      });
      // The counters work: a check that asks resolvers is counted.
      const { isolatedControl, routedControl } = seen as {
        isolatedControl: { ipv4: number };
        routedControl: number;
      };
      expect(isolatedControl.ipv4).toBeGreaterThan(0);
      expect(routedControl).toBeGreaterThan(0);
    } finally {
      folder.dispose();
    }
  },
);
