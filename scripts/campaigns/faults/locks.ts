import { Database } from "bun:sqlite";
import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { phishwatchExecutable } from "../../benchmarks/phishwatch.ts";
import { createExpectations, openAppliance, type Fault } from "./appliance.ts";

/** Several times what is guaranteed, because the campaign shares its processors. */
const readMsMax = 1_000;
const writeMsMax = 5_000;
const reads = 30;
const suspensions = 6;
const suspendAfterMsMax = 500;
const importedNames = 30_000;

const heldLock: Fault = {
  name: "another process holds the write lock",
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const appliance = await openAppliance({ folder });
    const first = await appliance.submit();
    const id = (JSON.parse(first.text) as { data: { matches: { threat_id: string }[] }[] }).data[0]!
      .matches[0]!.threat_id;
    const other = new Database(appliance.databasePath);
    other.run("PRAGMA busy_timeout = 5000");
    other.run("BEGIN IMMEDIATE");
    const patch = appliance.request("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    for (let count = 0; count < reads; count += 1)
      for (const path of ["/healthz", "/v1/threats", "/readyz"]) {
        const { status, durationMs } = await appliance.request("GET", path);
        expect(status !== 0 && status !== 500, `${path}: ${status}`);
        expect(durationMs < readMsMax, `${path} took ${durationMs.toFixed(0)} ms`);
      }
    const refused = await patch;
    expect(refused.status === 500, `PATCH returned ${refused.status}`);
    expect(refused.retryAfter !== null, "PATCH has no Retry-After");
    expect(refused.durationMs < writeMsMax, `PATCH took ${refused.durationMs.toFixed(0)} ms`);
    expect(
      appliance.server.log().includes(String(process.pid)),
      "the log does not name the process with the lock",
    );
    other.run("ROLLBACK");
    other.close();
    const { status } = await appliance.request("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    expect(status === 200, `PATCH returned ${status} after the lock was released`);
    await appliance.stop();
    return violations;
  },
};

const suspendedImport: Fault = {
  name: "an import is suspended at random moments",
  async run({ folder, random }) {
    const { violations, expect } = createExpectations();
    const appliance = await openAppliance({ folder });
    for (let count = 0; count < suspensions; count += 1) {
      const list = join(folder, `list-${count}.txt`);
      const names = Array.from(
        { length: importedNames },
        (_, index) => `example-bank-i${count}x${index}.com\n`,
      );
      writeFileSync(list, names.join(""));
      const child = Bun.spawn([phishwatchExecutable, "import", list, "--config", appliance.config], {
        stdio: ["ignore", "ignore", "ignore"],
      });
      const afterMs = 100 + random(suspendAfterMsMax);
      await Bun.sleep(afterMs);
      child.kill("SIGSTOP");
      const { status, durationMs } = await appliance.submit();
      expect(
        status === 200 && durationMs < writeMsMax,
        `after ${afterMs} ms: ${status} in ${durationMs.toFixed(0)} ms`,
      );
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await child.exited;
    }
    await appliance.stop();
    return violations;
  },
};

const hardLink: Fault = {
  name: "a second server opens a hard link to the database",
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const appliance = await openAppliance({ folder });
    await appliance.submit();
    const other = join(folder, "other");
    try {
      const second = await openAppliance({ folder: linked(other, appliance.databasePath) });
      expect(false, "the second server started");
      second.server.signal("SIGKILL");
    } catch (error) {
      expect(/did not start/.test(String(error)), String(error));
    }
    expect((await appliance.submit()).status === 200, "the first server rejects submissions");
    await appliance.stop();
    return violations;
  },
};

function linked(folder: string, databasePath: string): string {
  Bun.spawnSync(["mkdir", "-p", folder]);
  linkSync(databasePath, join(folder, "phishwatch.db"));
  return folder;
}

export const lockFaults: Fault[] = [heldLock, suspendedImport, hardLink];
