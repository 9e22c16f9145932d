import type { CertificateEnd } from "../../../../operations/conditions/certificate-ends.ts";
import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import { isDisabledForFailing } from "../../../../messaging/deliveries/rules/recipient-state.ts";
import type { Database } from "../../../../platform/database/database.ts";
import { listAside } from "../../../../platform/database/files/pending-restore.ts";
import type { DatabaseStatus } from "../../../../platform/database/health/health.ts";
import { listUpgradeCopies, type UpgradeCopy } from "../../../../platform/database/upgrade-copies.ts";
import { dayMs, toIsoTime, type Instant } from "../../../../platform/lib/clock.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { listsVersion } from "../../../../platform/lib/lists/list-texts.ts";
import { counted, sentence } from "../../../../platform/lib/wording.ts";
import { daysUntilFull, untilFullText, type StoreGrowth } from "../../../../operations/stores/growth.ts";
import { type StoreSize, keptText, labelOf, type StoreLimits } from "../../../../operations/stores/stores.ts";
import { Card, Facts, Time, Section, Note, Separated } from "../../kit/components.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { PostButton } from "../../kit/form.tsx";
import { download, page } from "../../kit/page-result.ts";
import { backUpPath, deliveriesToPath, recipientPath, systemPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { column, Table } from "../../kit/table.tsx";
import { concernsOf, type Concern } from "../overview/attention.ts";
import { readStatus, type StatusServices } from "../overview/status.tsx";
import { BackupsCard } from "./backups-card.tsx";
import { Configuration } from "./configuration.tsx";

/** Maximum number of recipients, and of certificates, listed. */
const listedMax = 20;

export async function showSystem({
  services,
  now,
}: Context<"build" | "config" | "publicUrl" | "storage" | "storeGrowth" | keyof StatusServices>) {
  const { build, deliveries, storage } = services;
  const { given } = await readStatus(services, now);
  const backupStatus = services.backups.status();
  const canBackUp = backupStatus.unavailable === null && !backupStatus.isRunning;
  const certificates = await services.conditions.certificateEnds();
  const unknown = [...services.readiness().unknown];
  if (services.scans.resolverHealth.latest() === undefined)
    unknown.push("whether resolvers respond: they were not asked yet");
  if (backupStatus.unavailable === null && backupStatus.completed === null)
    unknown.push("whether backups work: none was made yet");
  const { disk } = services.databaseStatus();
  return page(
    {
      title: "System",
      actions: canBackUp ? <PostButton action={backUpPath} label="Back up now" variant="primary" /> : null,
    },
    <>
      <Health
        concerns={concernsOf(given).filter(({ path }) => path === systemPath)}
        recipients={deliveries.recipients.listAll()}
        unknown={unknown}
      />
      <div class="cols cols-2">
        <Card
          title="Database"
          aside={
            <PostButton action={`${systemPath}/backup`} label="Download the database" icon="download" small />
          }
        >
          <Facts
            facts={[
              ["File", <Text text={storage.path} charactersMax={1_000} />],
              ["Size", sizeText(storage)],
              ["Disk", disk?.text ?? "unknown"],
              ["Last check", <QuickCheckText status={services.databaseStatus()} />],
              ["Last error", <LastErrorText status={services.databaseStatus()} />],
            ]}
          />
          <p class="hint after">
            A download is a consistent copy of the current state. It includes all secrets, such as those of
            channels and webhook endpoints: protect it like the database. <code>phishwatch restore FILE</code>{" "}
            restores it. <a href="/docs/backup">Manual</a>
          </p>
        </Card>
        <Card title="Version" aside={<a href="/docs/whats-new">What's new</a>}>
          <Facts
            facts={[
              ["phishwatch", build.version],
              ["Commit", <code>{build.commit}</code>],
              ["Bun", build.bunVersion],
              ["Lists", <a href="/docs/air-gap">{listsText()}</a>],
              ["Memory", `${bytesText(process.memoryUsage.rss())} in use`],
              ["Public URL", <Text text={services.publicUrl()} />],
              ...certificateFacts(certificates, now),
            ]}
          />
        </Card>
      </div>
      <BackupsCard status={backupStatus} aside={asideOf(storage.path)} />
      <Stores
        latest={services.storeGrowth.latest()}
        freeBytes={disk?.freeBytes}
        limits={services.config}
        copies={listUpgradeCopies(storage.path)}
      />
      <Configuration
        source={services.config.source}
        publicUrl={services.publicUrl()}
        lastReload={services.lastReload()}
      />
    </>,
  );
}

/** Returns where the lists that the program contains come from. */
function listsText(): string {
  const version = listsVersion();
  return version === null ? "embedded" : `data update ${version}`;
}

/** Lists the certificates, the first to expire at the top. */
function certificateFacts(certificates: readonly CertificateEnd[], now: Instant) {
  return certificates
    .toSorted((one, other) => one.endsAt - other.endsAt)
    .slice(0, listedMax)
    .map(({ use, endsAt }) => {
      const days = Math.ceil((endsAt - now) / dayMs);
      const left = days <= 0 ? "expired" : `${counted(days, "day")} left`;
      return [
        "Certificate",
        <>
          <p>
            <Text text={use} charactersMax={160} />
          </p>
          <p>
            valid until <Time at={endsAt} /> ({left})
          </p>
        </>,
      ] as const;
    });
}

/** Everything that the overview leads to this page for, in the same words, and the recipients that fail. */
function Health(props: {
  concerns: readonly Concern[];
  recipients: readonly Recipient[];
  /** Facts that were not checked yet. */
  unknown: readonly string[];
}) {
  const { concerns, recipients, unknown } = props;
  const failing = recipients.filter(({ enabled, disabledReason, consecutiveFailures }) =>
    enabled ? consecutiveFailures > 0 : isDisabledForFailing(disabledReason),
  );
  const notKnown = unknown.length === 0 ? null : `Not known yet: ${unknown.join("; ")}.`;
  if (concerns.length === 0 && failing.length === 0)
    return (
      <Note tone={notKnown === null ? "good" : "info"} title="Ready: no problem is known">
        {notKnown ?? "Nothing on this page needs attention, and no endpoint or channel is failing."}
      </Note>
    );
  return (
    <>
      {concerns.map(({ tone, title, cause }) => (
        <Note tone={tone} title={<bdi>{title}</bdi>}>
          {cause === null ? undefined : <bdi>{cause}</bdi>}
        </Note>
      ))}
      {failing.length === 0 ? null : (
        <Note
          tone="warn"
          title={`${counted(failing.length, "endpoint or channel", "endpoints and channels")} failing`}
        >
          <Separated items={failing.slice(0, listedMax)}>
            {(recipient) => (
              <a href={recipientPath(recipient) ?? deliveriesToPath(recipient)}>
                <Text text={recipient.name} charactersMax={80} />
              </a>
            )}
          </Separated>
        </Note>
      )}
      {notKnown === null ? null : <Note tone="info">{notKnown}</Note>}
    </>
  );
}

function QuickCheckText({ status: { quickCheck } }: { status: DatabaseStatus }) {
  if (quickCheck === null) return <>not checked yet; it is checked once a day</>;
  const { at, result } = quickCheck;
  return (
    <>
      <StateMark tone={result === "ok" ? "good" : "bad"}>{result === "ok" ? "ok" : "error"}</StateMark>{" "}
      {result === "ok" ? null : (
        <>
          <Text text={result} charactersMax={1_000} />{" "}
        </>
      )}
      <Time at={at} relative />
    </>
  );
}

function LastErrorText({ status: { lastError } }: { status: DatabaseStatus }) {
  if (lastError === null) return <>none</>;
  return (
    <>
      <Time at={lastError.at} relative />: <Text text={lastError.text} charactersMax={1_000} />{" "}
      <code>{lastError.code}</code>
    </>
  );
}

function asideOf(path: string) {
  return path === ":memory:" ? [] : listAside(path);
}

function sizeText(storage: Pick<Database, "path" | "bytesOnDisk">): string {
  const bytes = storage.bytesOnDisk();
  if (bytes === undefined) return "in memory";
  return `${bytesText(bytes.file)} and ${bytesText(bytes.log)} in the write-ahead log`;
}

export async function downloadBackup({ services, by, now }: Context<"backups">) {
  const { stream } = await services.backups.copies.create({ by });
  const moment = toIsoTime(now).slice(0, 16).replace(/[:T]/g, "-");
  return download(`phishwatch-${moment}.db`, "application/vnd.sqlite3", stream);
}

/** Renders the size and growth of each store, and the copies that were made before upgrades. */
function Stores(props: {
  latest: ReturnType<StoreGrowth["latest"]>;
  /** Free space of the disk; undefined if it is not known. */
  freeBytes: number | undefined;
  limits: StoreLimits;
  copies: readonly UpgradeCopy[];
}) {
  const { latest, freeBytes, limits, copies } = props;
  const { day, sizes, growth } = latest;
  const days = freeBytes === undefined ? undefined : daysUntilFull(freeBytes, growth);
  return (
    <Section title="Data" aside={<a href="/docs/limits">Limits</a>}>
      <p class="hint">
        {day === undefined ? (
          "The server measures the size of each store once a day, for the first time a minute after its start."
        ) : (
          <>
            Measured on {toIsoTime(day).slice(0, 10)} (UTC). {growthText(growth.bytesPerDay, growth.days)}
            {days === undefined ? null : ` ${sentence(untilFullText(days))}`}
          </>
        )}
      </p>
      {day === undefined ? null : (
        <Table<StoreSize>
          caption="Data"
          rows={sizes.toSorted((one, other) => other.bytes - one.bytes)}
          empty="None."
          columns={[
            column("Store", "title", ({ store }) => labelOf(store)),
            column("Size", "number state", ({ bytes }) => bytesText(bytes)),
            column("Per day", "number hidden", ({ store }) => rateText(growth.byStore.get(store))),
            column("Kept", "under", ({ store }) => keptText(store, limits)),
          ]}
        />
      )}
      {copies.map(({ path, version, at, bytes }) => (
        <p class="hint">
          Copy of version {version}, made before an upgrade <Time at={at} relative /> ({bytesText(bytes)}):{" "}
          <Text text={path} charactersMax={1_000} />
        </p>
      ))}
    </Section>
  );
}

function growthText(bytesPerDay: number | undefined, days: number): string {
  if (bytesPerDay === undefined) return "Growth is shown from the second day on.";
  const change = `${bytesPerDay < 0 ? "shrank" : "grew"} by ${bytesText(Math.abs(bytesPerDay))}`;
  return `The data ${change} per day over the last ${counted(days, "day")}.`;
}

function rateText(bytesPerDay: number | undefined): string {
  if (bytesPerDay === undefined) return "–";
  if (bytesPerDay === 0) return bytesText(0);
  return `${bytesPerDay < 0 ? "−" : "+"}${bytesText(Math.abs(bytesPerDay))}`;
}
