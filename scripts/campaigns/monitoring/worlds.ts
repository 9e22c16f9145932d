import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AlertName } from "../../../src/operations/monitoring/render-alerts.ts";
import { createAuthority, issue } from "../../../test/support/certificates.ts";
import { damageThreats } from "../../../test/support/damaged-threats.ts";
import { startDnsServer } from "../../../test/support/dns-server.ts";
import { holdWriteLock } from "../../../test/support/lock-holder.ts";
import { createLogSigner } from "../../../test/support/log-entries.ts";
import { logFaults } from "../../../test/support/log-server-faults.ts";
import { startLogServer } from "../../../test/support/log-server.ts";
import { endpointText, openAppliance, within, type Appliance } from "../faults/appliance.ts";
import { runCommand } from "../server.ts";

/** A server with one fault, which has to raise one alert. */
export interface World {
  name: string;
  /** Null: no alert may fire. */
  alert: AlertName | null;
  /** Alerts that may fire too, because they have the same cause. */
  consequences?: readonly AlertName[];
  /** Starts the server and breaks it. */
  open(folder: string): Promise<Opened>;
}

export interface Opened {
  appliance: Appliance;
  close?(): Promise<void>;
}

const dayMs = 86_400_000;
/** The resolvers of this machine are not part of a world. */
const withoutLookups = "[lookups]\nenabled = false\n";
const scanSettings = `schedule = ""\nregistration_data = false\nscreenshots = "off"`;
const preparationMsMax = 20_000;
const submissions = 300;
const smallDiskMebibytes = 64;
const logEntries = 300;

function write(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Returns a log list of which nothing is followed. */
function retiredLogList(): string {
  const { logId: log_id, key } = createLogSigner();
  const state = { retired: { timestamp: "2026-01-01T00:00:00Z" } };
  const logs = [{ description: "Retired", log_id, key, url: "https://retired.invalid/", state }];
  return JSON.stringify({ log_list_timestamp: "2026-01-01T00:00:00Z", operators: [{ name: "None", logs }] });
}

/** All worlds: one in which everything works, and one for each fault. */
export const worlds: readonly World[] = [
  {
    name: "nothing is broken",
    alert: null,
    async open(folder) {
      const appliance = await openAppliance({ folder, settings: withoutLookups });
      await appliance.submit();
      return { appliance };
    },
  },
  {
    name: "the disk is nearly full",
    alert: "PhishwatchDiskNearlyFull",
    consequences: ["PhishwatchArchiveFailing"],
    async open(folder) {
      const disk = join(folder, "disk");
      mkdirSync(disk, { recursive: true });
      const size = `size=${smallDiskMebibytes}m`;
      const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", size, "tmpfs", disk]);
      if (exitCode !== 0) throw new Error(stderr.toString());
      return { appliance: await openAppliance({ folder, storage: disk, settings: withoutLookups }) };
    },
  },
  {
    name: "a webhook endpoint is dead",
    alert: "PhishwatchRecipientFailing",
    async open(folder) {
      const appliance = await openAppliance({
        folder,
        settings: withoutLookups + endpointText("dead", "http://127.0.0.1:9/"),
      });
      await appliance.submit();
      return { appliance };
    },
  },
  {
    name: "the folder of a feed disappears",
    alert: "PhishwatchSourceStopped",
    async open(folder) {
      const feed = join(folder, "feed");
      write(feed, "names.txt", "example-bank.net\n");
      const settings = `${withoutLookups}[[feeds]]\nname = "nrd"\npath = ${JSON.stringify(feed)}\n`;
      const appliance = await openAppliance({ folder, settings });
      await within(preparationMsMax, async () =>
        (await appliance.request("GET", "/metrics")).text.includes(
          'phishwatch_source_state{kind="feed",source="nrd",state="watching"} 1',
        ),
      );
      renameSync(feed, `${feed}.gone`);
      return { appliance };
    },
  },
  {
    name: "a scan fails",
    alert: "PhishwatchScanFailed",
    async open(folder) {
      const settings = `[scan]\n${scanSettings}\nresolvers = ["127.0.0.1:9"]\n${withoutLookups}`;
      const appliance = await openAppliance({ folder, settings });
      const { exitCode } = await runCommand(["scan", "--config", appliance.config]);
      if (exitCode === 0) throw new Error("the scan did not fail");
      return { appliance };
    },
  },
  {
    name: "a certificate expires in five days",
    alert: "PhishwatchCertificateExpiring",
    async open(folder) {
      const pair = issue(createAuthority(), ["client.example"], { notAfter: Date.now() + 5 * dayMs });
      const cert = write(folder, "client.pem", pair.cert);
      const key = write(folder, "client.key", pair.key);
      const settings = `${withoutLookups}[[webhooks.endpoints]]\nname = "mutual"\nurl = "https://127.0.0.1:9/"\nsecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="\nclient_cert = ${JSON.stringify(cert)}\nclient_key = ${JSON.stringify(key)}\n`;
      return { appliance: await openAppliance({ folder, settings }) };
    },
  },
  {
    name: "another process locks the database",
    alert: "PhishwatchDatabaseLocked",
    // A reload writes its outcome.
    consequences: ["PhishwatchNotReady", "PhishwatchReloadFailed"],
    async open(folder) {
      const appliance = await openAppliance({ folder, settings: withoutLookups });
      const lock = await holdWriteLock(appliance.databasePath);
      // Without a write, nobody notices.
      await appliance.submit();
      return { appliance, close: lock.release };
    },
  },
  {
    name: "a page of the database is damaged",
    alert: "PhishwatchDatabaseDamaged",
    consequences: ["PhishwatchNotReady"],
    async open(folder) {
      const first = await openAppliance({ folder, settings: withoutLookups });
      for (let count = 0; count < submissions; count += 1) await first.submit();
      await first.stop();
      damageThreats(first.databasePath);
      const health = `${first.databasePath}.health`;
      const stored = JSON.parse(readFileSync(health, "utf8")) as Record<string, unknown>;
      // The last check was eight days ago, so the next one does not wait until the process is idle.
      const quickCheck = { at: Date.now() - 8 * dayMs, result: "ok" };
      writeFileSync(health, JSON.stringify({ ...stored, quickCheck }));
      return { appliance: await openAppliance({ folder, settings: withoutLookups }) };
    },
  },
  {
    name: "no backup was made for three days",
    alert: "PhishwatchBackupMissing",
    async open(folder) {
      const settings = `${withoutLookups}[backup]\nschedule = "0 0 * * *"\nfolder = ${JSON.stringify(join(folder, "backups"))}\n`;
      const first = await openAppliance({ folder, settings });
      await runCommand(["backup", "--config", first.config]);
      await first.stop();
      const database = new Database(first.databasePath);
      const row = database
        .query<{ value: string }, []>("select value from settings where name = 'backup_outcomes'")
        .get();
      if (row === null) throw new Error("the backup was not stored");
      const outcomes = JSON.parse(row.value) as { completed: { at: number } };
      outcomes.completed.at -= 3 * dayMs;
      database.run("update settings set value = ? where name = 'backup_outcomes'", [
        JSON.stringify(outcomes),
      ]);
      database.close();
      return { appliance: await openAppliance({ folder, settings }) };
    },
  },
  {
    name: "a certificate log cannot be followed",
    alert: "PhishwatchCertificateLogLagging",
    consequences: ["PhishwatchSourceStopped"],
    async open(folder) {
      const server = startLogServer();
      const entryAt = (index: number) => ({ names: [`host${index}.example.org`] });
      const { log, grow } = server.add({ name: "slow", protocol: "rfc6962", entryAt });
      grow(logEntries);
      const list = write(folder, "logs.json", retiredLogList());
      const settings = `${withoutLookups}[certificate_logs]\nenabled = true\nlog_list = ${JSON.stringify(list)}\nfirst_start = "beginning"\n[[certificate_logs.extra_logs]]\nname = "slow"\nkey = "${log.key}"\nurl = "${log.url}"\nprotocol = "rfc6962"\n`;
      const appliance = await openAppliance({ folder, settings });
      await within(preparationMsMax, async () =>
        (await appliance.request("GET", "/metrics")).text.includes(
          `phishwatch_certificate_log_position{log="slow",operator="slow"} ${logEntries}`,
        ),
      );
      // The log publishes more, and serves none of it.
      server.fail("get-entries", logFaults.status(500));
      grow(logEntries);
      return { appliance, close: server.stop };
    },
  },
  {
    name: "the only resolver denies every name",
    alert: "PhishwatchNoResolver",
    async open(folder) {
      const dns = await startDnsServer({}, { denies: () => true });
      const settings = `[scan]\n${scanSettings}\nresolvers = ["${dns.server.address}:${dns.server.port}"]\n`;
      const appliance = await openAppliance({ folder, settings });
      return { appliance, close: async () => dns.stop() };
    },
  },
];
