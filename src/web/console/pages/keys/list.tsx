import type { KeyUsage } from "../../../../access/keys/key-usage.ts";
import { keyExpiresSoonMs, type ApiKey } from "../../../../access/keys/keys.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { LinkButton, Time, FirstStep } from "../../kit/components.tsx";
import { StateMark, Tag, Text } from "../../kit/inline.tsx";
import { page } from "../../kit/page-result.ts";
import { keysPath as path } from "../../kit/paths.ts";
import { column, ListTable, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

const perPage = 50;
/** Requests are counted for the last hour, with minute precision. */
const countedMs = 59 * 60_000;

export function listKeys({ services: { keys, keyUsage }, now, may }: Context<"keys" | "keyUsage">) {
  const all = keys.list().toReversed();
  const valid = all.filter((key) => !hasEnded(key, now));
  const ended = all.filter((key) => hasEnded(key, now));
  return page(
    {
      title: "API keys",
      lead: "Programs that can use the HTTP API, their permissions, and their usage.",
      actions: <LinkButton path={`${path}/create`} label="Create API key" icon="plus" variant="primary" />,
    },
    <>
      <ListTable
        caption="Valid API keys"
        columns={validColumns(keyUsage, { now, mayRevoke: may("administer") })}
        rows={valid}
        perPage={perPage}
        empty={
          <>
            No valid API keys.
            <FirstStep path={`${path}/create`} label="Create an API key">
              to use the HTTP API.
            </FirstStep>
          </>
        }
      />
      {ended.length === 0 ? null : (
        <details class="more">
          <summary>
            Revoked and expired keys ({grouped(ended.length)}
            {ended.length > perPage ? `, the latest ${perPage}` : ""})
          </summary>
          <Table
            caption="Revoked and expired API keys"
            columns={endedColumns}
            rows={ended.slice(0, perPage)}
            empty=""
          />
        </details>
      )}
    </>,
  );
}

function hasEnded({ revokedAt, expiresAt }: ApiKey, now: Instant): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

const commonColumns: readonly Column<ApiKey>[] = [
  column("Name", "wide title", (key) => (
    <>
      <Text text={key.name} />
      <p>
        <code>{key.prefix}…</code>
      </p>
    </>
  )),
  column("Scopes", "under", (key) => (
    <>
      {key.scopes.join(", ")}
      <p>{key.domains.length === 0 ? "all protected domains" : <Text text={key.domains.join(", ")} />}</p>
    </>
  )),
  column("Plan", "tight hidden", ({ plan }) => plan),
];

function validColumns(
  keyUsage: KeyUsage,
  { now, mayRevoke }: { now: Instant; mayRevoke: boolean },
): Column<ApiKey>[] {
  return [
    ...commonColumns,
    {
      title: "Last hour",
      layout: "number",
      fold: "hidden",
      cell({ seq, lastUsedAt }) {
        const { requests, limited } = keyUsage.lastHour(seq, now);
        // Requests are counted in memory, so those before a restart are not among them.
        const isMissingSome = requests === 0 && lastUsedAt !== null && now - lastUsedAt < countedMs;
        return (
          <>
            <div class="tight">{counted(requests, "request")}</div>
            {isMissingSome ? <div class="hint">since the restart</div> : null}
            {limited === 0 ? null : (
              <div>
                <StateMark tone="warn">{grouped(limited)} limited</StateMark>
              </div>
            )}
          </>
        );
      },
    },
    column("Last used", "tight state", ({ lastUsedAt }) =>
      lastUsedAt === null ? "never" : <Time at={lastUsedAt} relative />,
    ),
    column("Expires", "tight hidden", ({ expiresAt }) => <Expiration expiresAt={expiresAt} now={now} />),
    column(<span class="vh">Actions</span>, "number end", ({ id, name, origin }) =>
      origin === "file" ? (
        <Tag title="Declared as [[api_keys]] in the configuration file. To change it, edit the file.">
          configuration file
        </Tag>
      ) : mayRevoke ? (
        <a class="btn small plain danger" href={`${path}/${id}/revoke`} aria-label={`Revoke ${name}`}>
          Revoke
        </a>
      ) : null,
    ),
  ];
}

const endedColumns: readonly Column<ApiKey>[] = [
  ...commonColumns,
  column("Ended", "tight state", ({ revokedAt, expiresAt }) =>
    revokedAt === null ? (
      <>
        expired <Time at={expiresAt!} />
      </>
    ) : (
      <>
        revoked <Time at={revokedAt} />
      </>
    ),
  ),
];

function Expiration({ expiresAt, now }: { expiresAt: Instant | null; now: Instant }) {
  if (expiresAt === null) return <>never</>;
  const isSoon = expiresAt - now < keyExpiresSoonMs;
  return isSoon ? (
    <StateMark tone="warn">
      <Time at={expiresAt} relative="due" />
    </StateMark>
  ) : (
    <Time at={expiresAt} />
  );
}
