import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { quickest } from "../../support/command-line.ts";
import { ownNetwork } from "../../support/own-network.ts";
import type { SilentNamesPlan, SilentNamesSeen } from "../../support/silent-names-world.ts";

// In a network and with system files of its own, so that the system's resolver is one that does not respond.

const network = ownNetwork();
const silentEndpoints = 40;

test.skipIf(network === undefined)(
  "40 endpoints with a silent name server stop neither other endpoints nor feeds nor shutdown",
  async () => {
    const folder = temporaryFolder();
    try {
      const plan: SilentNamesPlan = { command: quickest, folder: folder.path, silentEndpoints };
      const script = join(import.meta.dir, "../../support/silent-names-world.ts");
      const world = Bun.spawn([...network!, process.execPath, script, JSON.stringify(plan)], {
        stdio: ["ignore", "pipe", "inherit"],
        timeout: 150_000,
      });
      const seen = JSON.parse(await new Response(world.stdout).text()) as SilentNamesSeen;
      const healthy = ["good1.test", "good2.test", "good3.test", "hosts-file.example", "127.0.0.1"];
      const each = (count: number) => Object.fromEntries(healthy.map((host) => [host, count]));
      expect(seen).toEqual({ delivered: [each(3), each(6)], silentNames: silentEndpoints, exitCode: 0 });
    } finally {
      folder.dispose();
    }
  },
  180_000,
);
