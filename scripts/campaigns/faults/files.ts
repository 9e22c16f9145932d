import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../server.ts";
import { createExpectations, openAppliance, within, type Fault } from "./appliance.ts";

const noticedMsMax = 20_000;
const submissions = 200;
const truncatedBytes = 64 * 1_024;
const diskMebibytes = 24;
const serverRoomBytes = 1_048_576;
const rejectionsWanted = 20;
const submissionsMax = 5_000;

const lost: Record<string, (path: string) => void> = {
  "the database file is removed": (path) => rmSync(path),
  "all files of the database are removed": (path) => {
    for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
  },
  "another database is moved over the file": (path) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
  "another database is copied into the file": (path) => {
    const other = `${path}.other`;
    const database = new Database(other);
    database.run("CREATE TABLE other (text TEXT)");
    database.run("INSERT INTO other SELECT hex(randomblob(4000)) FROM (VALUES (1), (2), (3))");
    database.close();
    copyFileSync(other, path);
  },
  "the file is truncated": (path) => truncateSync(path, truncatedBytes),
};

const lostFiles = Object.entries(lost).map(([name, lose]): Fault => ({
  name,
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const appliance = await openAppliance({ folder });
    for (let count = 0; count < submissions; count += 1) await appliance.submit();
    // Otherwise SQLite reads everything from the log and its cache, and nothing is wrong yet.
    const other = new Database(appliance.databasePath);
    other.run("PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    lose(appliance.databasePath);
    const isNoticed = await within(noticedMsMax, async () => {
      await appliance.request("GET", "/v1/threats?per_page=100");
      return (await appliance.request("GET", "/readyz")).status === 503;
    });
    expect(isNoticed, `/readyz returns no 503 within ${noticedMsMax / 1_000} s`);
    const { status } = await appliance.submit();
    expect(status === 500 || status === 503, `a submission returned ${status}`);
    expect((await appliance.request("GET", "/healthz")).status === 200, "/healthz does not return 200");
    expect(/"level":("error"|50)/.test(appliance.server.log()), "the log has no error");
    await appliance.stop();
    return violations;
  },
}));

function mountTemporary(folder: string, options: string): void {
  Bun.spawnSync(["mkdir", "-p", folder]);
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`mount: ${stderr.toString()}`);
}

const fullDisk: Fault = {
  name: "the disk is full, and has room again",
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const disk = join(folder, "disk");
    mountTemporary(disk, `size=${diskMebibytes}m`);
    const appliance = await openAppliance({ folder, storage: disk });
    const acknowledged: string[] = [];
    const submit = async () => {
      const response = await appliance.submit();
      if (response.status === 200) acknowledged.push(response.domain);
      return response;
    };
    for (let count = 0; count < submissions; count += 1) await submit();
    const filler = join(disk, "filler");
    const used = Number(Bun.spawnSync(["du", "-sb", disk]).stdout.toString().split("\t")[0]);
    writeFileSync(filler, new Uint8Array(diskMebibytes * 1_048_576 - used - serverRoomBytes));
    let rejected = 0;
    for (let count = 0; count < submissionsMax && rejected < rejectionsWanted; count += 1)
      if ((await submit()).status !== 200) rejected += 1;
    expect(rejected === rejectionsWanted, "the disk did not become full");
    expect((await appliance.request("GET", "/v1/threats")).status === 200, "reads fail on the full disk");
    expect((await appliance.request("GET", "/healthz")).status === 200, "/healthz fails on the full disk");
    expect((await appliance.request("GET", "/readyz")).status === 503, "/readyz is ready on the full disk");
    const check = await runCommand(["check", "--config", appliance.config]);
    expect(check.exitCode !== 0, "phishwatch check finds nothing on the full disk");
    rmSync(filler);
    const works = await within(noticedMsMax, async () => (await submit()).status === 200);
    expect(works, "submissions fail although the disk has room again");
    const { exitCode } = await appliance.stop();
    expect(exitCode === 0, `exit code ${exitCode}`);
    const database = new Database(appliance.databasePath, { readonly: true });
    const recorded = new Set(
      database
        .query<{ domain: string }, []>("SELECT domain FROM threats")
        .all()
        .map(({ domain }) => domain),
    );
    const missing = acknowledged.filter((domain) => !recorded.has(domain));
    expect(missing.length === 0, `${missing.length} of ${acknowledged.length} acknowledged threats are lost`);
    const integrity = JSON.stringify(database.query("PRAGMA integrity_check").all());
    expect(integrity === '[{"integrity_check":"ok"}]', integrity.slice(0, 200));
    database.close();
    return violations;
  },
};

const readOnly: Fault = {
  name: "the file system is read-only at the start",
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const disk = join(folder, "disk");
    mountTemporary(disk, `size=${diskMebibytes}m`);
    const appliance = await openAppliance({ folder, storage: disk });
    await appliance.stop();
    Bun.spawnSync(["mount", "-o", "remount,ro", disk]);
    try {
      const second = await openAppliance({ folder, storage: disk });
      expect(false, "the server started");
      second.server.signal("SIGKILL");
    } catch (error) {
      expect(/read-only|read only/i.test(String(error)), `the message is: ${String(error)}`);
    }
    return violations;
  },
};

const fullBackup: Fault = {
  name: "a backup fills the disk",
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    const appliance = await openAppliance({ folder });
    for (let count = 0; count < submissions; count += 1) await appliance.submit();
    const disk = join(folder, "disk");
    mountTemporary(disk, "size=256k");
    const target = join(disk, "copy.db");
    const { exitCode, output } = await runCommand(["backup", target, "--config", appliance.config]);
    expect(exitCode === 1, `backup: exit code ${exitCode}`);
    expect(/full|space/i.test(output), `the message is: ${output}`);
    for (const ending of ["", "-journal", "-wal", "-shm"])
      expect(!existsSync(target + ending), `copy.db${ending} is left over`);
    await appliance.stop();
    return violations;
  },
};

export const fileFaults: Fault[] = [...lostFiles, fullDisk, readOnly, fullBackup];
