import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { ownNetwork } from "../../support/own-network.ts";

// With a hosts file and a resolv.conf of its own.

const network = ownNetwork();

test.skipIf(network === undefined)(
  "the system's resolver uses the hosts file, search domains and the current name servers",
  async () => {
    const folder = temporaryFolder();
    try {
      const script = join(import.meta.dir, "../../support/system-resolver-world.ts");
      const world = Bun.spawn([...network!, process.execPath, script, folder.path], {
        stdio: ["ignore", "pipe", "inherit"],
        timeout: 60_000,
      });
      expect(JSON.parse(await new Response(world.stdout).text())).toEqual([
        ["a.test", ["192.0.2.1", "2001:db8::1"]],
        ["A.TEST.", ["192.0.2.1", "2001:db8::1"]],
        ["printer", ["192.0.2.3"]],
        ["in-hosts.test", ["192.0.2.7"]],
        ["localhost", ["127.0.0.1"]],
        ["192.0.2.9", ["192.0.2.9"]],
        ["::1", ["::1"]],
        ["mail.test", "ENOTFOUND"],
        ["missing.test", "ENOTFOUND"],
        ["broken.test", "ESERVFAIL"],
        ["a.test", ["192.0.2.2"]],
      ]);
    } finally {
      folder.dispose();
    }
  },
);
