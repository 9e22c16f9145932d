import type { KeyUsage } from "../../../access/keys/key-usage.ts";
import type { ApiKey } from "../../../access/keys/keys.ts";
import type { Instant } from "../../../lib/clock.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { DeclaredMark, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import { page } from "../../kit/page-result.ts";
import { keysPath as path } from "../../kit/paths.ts";
import { PagedTable, pagesOf, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { keyExpiresSoonMs } from "../overview/attention.ts";

const perPage = 50;
/** Requests are counted for the last hour, with minute precision. */
const countedMs = 59 * 60_000;

export function listKeys({ services: { keys, keyUsage }, now, query, may }: Context<"keys" | "keyUsage">) {
  const all = keys.list().toReversed();
  const valid = all.filter((key) => !hasEnded(key, now));
  const ended = all.filter((key) => hasEnded(key, now));
  return page(
    "API Keys",
    <>
      <PageHead
        title="API Keys"
        lead="Programs that can use the HTTP API, their permissions, and their usage."
      >
        <LinkButton path={`${path}/create`} label="Create Key" />
      </PageHead>
      <PagedTable
        caption="Valid API keys"
        columns={validColumns(keyUsage, { now, mayRevoke: may("administer") })}
        rowsIn={pagesOf(valid)}
        total={valid.length}
        perPage={perPage}
        path={path}
        query={query}
        empty={
          <>
            No valid API keys. <a href={`${path}/create`}>Create a key</a> to use the HTTP API.
          </>
        }
      />
      {ended.length === 0 ? null : (
        <details class="section">
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
  {
    title: "Name",
    layout: "wide",
    cell: (key) => (
      <>
        <Text text={key.name} /> <br />
        <code>{key.prefix}…</code>
      </>
    ),
  },
  {
    title: "Scopes",
    cell: (key) => (
      <>
        {key.scopes.map((scope) => (
          <div class="tight">{scope}</div>
        ))}
        <div class="hint">
          {key.domains.length === 0 ? "all domains" : <Text text={key.domains.join(", ")} />}
        </div>
      </>
    ),
  },
  { title: "Plan", layout: "tight", cell: ({ plan }) => plan },
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
    {
      title: "Last used",
      layout: "tight",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} relative />),
    },
    {
      title: "Expires",
      layout: "tight",
      cell: ({ expiresAt }) => <Expiration expiresAt={expiresAt} now={now} />,
    },
    {
      title: <span class="vh">Actions</span>,
      cell: ({ id, name, origin }) =>
        origin === "file" ? (
          <DeclaredMark where="[[api_keys]]" />
        ) : mayRevoke ? (
          <a class="tight" href={`${path}/${id}/revoke`} aria-label={`Revoke ${name}`}>
            Revoke
          </a>
        ) : null,
    },
  ];
}

const endedColumns: readonly Column<ApiKey>[] = [
  ...commonColumns,
  {
    title: "Ended",
    layout: "tight",
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt === null ? (
        <>
          expired <Time at={expiresAt!} />
        </>
      ) : (
        <>
          revoked <Time at={revokedAt} />
        </>
      ),
  },
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
