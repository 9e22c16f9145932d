import type { ApiKey } from "../../../access/keys/keys.ts";
import type { Instant } from "../../../lib/clock.ts";
import { badRequest, notFound } from "../../../lib/errors.ts";
import { isId } from "../../../lib/ids.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { page, redirect } from "../../kit/page-result.ts";
import { keyExpiresSoonMs } from "../overview/attention.ts";
import { createKey, showKeyForm } from "./key-form.tsx";
import {
  Badge,
  Confirm,
  Copyable,
  DeclaredMark,
  LinkButton,
  PageHead,
  Section,
  Time,
} from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { keysPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";

const path = keysPath;
const perPage = 50;

/** Settings → API Keys. */
export const keyPages = pageGroup({
  nav: { section: "settings", label: "API Keys", path },
  services: ["domains", "keys", "keyUsage", "publicUrl"],
  routes: [
    { method: "GET", path, permission: "read", run: listKeys },
    {
      method: "GET",
      path: `${path}/create`,
      permission: "administer",
      run: (context) => showKeyForm(context, context.query),
    },
    { method: "POST", path: `${path}/create`, permission: "administer", run: createKey },
    { method: "GET", path: `${path}/:id/made`, permission: "administer", run: showMade },
    { method: "GET", path: `${path}/:id/revoke`, permission: "administer", run: askToRevoke },
    { method: "POST", path: `${path}/:id/revoke`, permission: "administer", run: revokeKey },
  ],
});

function listKeys({ services: { keys, keyUsage }, now, query }: Context<"keys" | "keyUsage">) {
  const all = keys.list().toReversed();
  const isOver = ({ revokedAt, expiresAt }: ApiKey) =>
    revokedAt !== null || (expiresAt !== null && expiresAt <= now);
  const valid = all.filter((key) => !isOver(key));
  const over = all.filter(isOver);
  const number = pageNumber(query);
  const who: Column<ApiKey>[] = [
    {
      title: "Name",
      look: "wide",
      cell: (key) => (
        <>
          <Text text={key.name} /> <br />
          <code>{key.prefix}…</code>
        </>
      ),
    },
    {
      title: "May",
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
    { title: "Plan", look: "tight", cell: ({ plan }) => plan },
  ];
  const columns: Column<ApiKey>[] = [
    ...who,
    {
      title: "Last hour",
      look: "number",
      cell({ seq }) {
        const { requests, limited } = keyUsage.lastHour(seq, now);
        return (
          <>
            <div class="tight">{counted(requests, "request")}</div>
            {limited === 0 ? null : (
              <div>
                <Badge tone="warn">{grouped(limited)} limited</Badge>
              </div>
            )}
          </>
        );
      },
    },
    {
      title: "Last used",
      look: "tight",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} relative />),
    },
    { title: "Expires", look: "tight", cell: ({ expiresAt }) => <Expiry expiresAt={expiresAt} now={now} /> },
    {
      title: <span class="unseen">Actions</span>,
      cell: ({ id, name, origin }) =>
        origin === "file" ? (
          <DeclaredMark where="[[api_keys]]" />
        ) : (
          <a class="tight" href={`${path}/${id}/revoke`} aria-label={`Revoke ${name}`}>
            Revoke
          </a>
        ),
    },
  ];
  const overColumns: Column<ApiKey>[] = [
    ...who,
    {
      title: "Ended",
      look: "tight",
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
  return page(
    "API Keys",
    <>
      <PageHead title="API Keys" lead="Who may use the HTTP API, for what, and how much they do.">
        <LinkButton path={`${path}/create`} label="Create Key" />
      </PageHead>
      <Table
        caption="Valid API keys"
        columns={columns}
        rows={valid.slice((number - 1) * perPage, number * perPage)}
        empty={
          <>
            There is no valid key. <a href={`${path}/create`}>Create one</a> to use the HTTP API.
          </>
        }
      />
      {valid.length <= perPage ? null : (
        <Pagination page={number} perPage={perPage} total={valid.length} path={path} query={query} />
      )}
      {over.length === 0 ? null : (
        <details class="section">
          <summary>
            Revoked and expired keys ({grouped(over.length)}
            {over.length > perPage ? `, the latest ${perPage}` : ""})
          </summary>
          <Table
            caption="Revoked and expired API keys"
            columns={overColumns}
            rows={over.slice(0, perPage)}
            empty=""
          />
        </details>
      )}
    </>,
  );
}

function Expiry({ expiresAt, now }: { expiresAt: Instant | null; now: Instant }) {
  if (expiresAt === null) return <>never</>;
  const soon = expiresAt - now < keyExpiresSoonMs;
  return soon ? (
    <Badge tone="warn">
      <Time at={expiresAt} relative />
    </Badge>
  ) : (
    <Time at={expiresAt} />
  );
}

function showMade({ params, services, takeOnce }: Context<"keys" | "publicUrl">) {
  const record = keyOf(params["id"]!, services.keys.list());
  const key = takeOnce<string>(`key ${record.id}`);
  if (key === undefined)
    return redirect(path, {
      tone: "warning",
      text: "A key is shown once only. If it was lost, revoke it and create another.",
    });
  return page(
    "Key created",
    <div class="narrow">
      <PageHead title="Key created" back={{ label: "API Keys", path }} />
      <p>
        This is the key of{" "}
        <strong>
          <Text text={record.name} />
        </strong>
        . It is shown this once: copy it now.
      </p>
      <Copyable text={key} label="the key" secret />
      <Section title="Try it">
        <Copyable text={exampleCall(record, key, services.publicUrl())} label="the command" />
        <p class="hint">
          The <a href="/docs">API reference</a> has everything else.
        </p>
      </Section>
      <LinkButton path={path} label="Done" />
    </div>,
  );
}

/** A command that answers with success for what the key may do. */
function exampleCall({ scopes: may }: ApiKey, key: string, url: string): string {
  const header = `-H 'Authorization: Bearer ${key}'`;
  if (may.includes("threats:read")) return `curl ${header} '${url}/v1/threats'`;
  const json = `-H 'Content-Type: application/json'`;
  if (may.includes("candidates:write"))
    return `curl ${header} ${json} -d '{"domains":["example.com"]}' '${url}/v1/candidates'`;
  return `curl ${header} ${json} -d '{"ids":["thr_01h455vb4pex5vsknk084sn02q"],"status":"resolved"}' '${url}/v1/threats/batch'`;
}

function askToRevoke({ params, services }: Context<"keys">) {
  const { id, name, prefix, origin, lastUsedAt } = keyOf(params["id"]!, services.keys.list());
  if (origin === "file")
    throw badRequest("This key is declared in the configuration file: take it out there and start again.");
  return page(
    "Revoke key",
    <Confirm title="Revoke this key?" action={`${path}/${id}/revoke`} button="Revoke key" back={path}>
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        (<code>{prefix}…</code>) is refused from the next request on, for good.
      </p>
      <p>
        {lastUsedAt === null ? (
          "It was never used."
        ) : (
          <>
            It was last used <Time at={lastUsedAt} relative />.
          </>
        )}
      </p>
    </Confirm>,
  );
}

function revokeKey({ params, services, by }: Context<"keys">) {
  const { id } = keyOf(params["id"]!, services.keys.list());
  const { name } = services.keys.revoke(id, by);
  return redirect(path, `The key ${name} is revoked.`);
}

function keyOf(id: string, keys: readonly ApiKey[]): ApiKey {
  const found = isId("apiKey", id) ? keys.find((key) => key.id === id) : undefined;
  if (found === undefined) throw notFound("There is no such API key.");
  return found;
}
