import type { ApiKey } from "../../../../access/keys/keys.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { Confirm, Copyable, LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { keysPath as path } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { shellWord } from "../../../../platform/lib/shell-word.ts";

/** Shows a key right after it was created, once. */
export function showCreatedKey({ params, services, takeOnce }: Context<"keys" | "publicUrl">) {
  const record = keyOf(params["id"]!, services.keys.list());
  const key = takeOnce<string>(`key ${record.id}`);
  if (key === undefined)
    return redirect(path, {
      tone: "warning",
      text: "A key is shown only once. If you lost it, revoke it and create another.",
    });
  return page(
    "API key created",
    <div class="narrow">
      <PageHead title="API key created" crumbs={[{ label: "API keys", path }]} />
      <p>
        This is the key of{" "}
        <strong>
          <Text text={record.name} />
        </strong>
        . Copy it now: it is not shown again.
      </p>
      <Copyable text={key} label="the key" secret />
      <Section title="Try it">
        <Copyable text={exampleCommand(record, key, services.publicUrl())} label="the command" />
        <p class="hint">
          For all operations, see the <a href="/docs/api">API reference</a>.
        </p>
      </Section>
      <LinkButton path={path} label="Done" variant="primary" />
    </div>,
  );
}

/** Returns a command that succeeds with the key's scopes and changes nothing. */
function exampleCommand({ scopes }: ApiKey, key: string, url: string): string {
  const header = `-H 'Authorization: Bearer ${key}'`;
  if (scopes.includes("threats:read")) return `curl ${header} ${shellWord(`${url}/v1/threats`)}`;
  const json = `-H 'Content-Type: application/json'`;
  if (scopes.includes("candidates:write"))
    return `curl ${header} ${json} -d '{"domains":["example.com"]}' ${shellWord(`${url}/v1/candidates`)}`;
  return `curl ${header} ${json} -d '{"ids":["thr_01h455vb4pex5vsknk084sn02q"],"action":"resolve"}' ${shellWord(`${url}/v1/threats/batch`)}`;
}

export function confirmRevocation({ params, services }: Context<"keys">) {
  const { id, name, prefix, origin, lastUsedAt } = keyOf(params["id"]!, services.keys.list());
  if (origin === "file")
    throw badRequest("This key is declared in the configuration file. To revoke it, remove it there.");
  return page(
    "Revoke key",
    <Confirm title="Revoke this key?" action={`${path}/${id}/revoke`} button="Revoke key" back={path}>
      <p>
        Requests with{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        (<code>{prefix}…</code>) will be rejected immediately. This cannot be undone.
      </p>
      <p>
        {lastUsedAt === null ? (
          "Never used."
        ) : (
          <>
            Last used <Time at={lastUsedAt} relative />.
          </>
        )}
      </p>
    </Confirm>,
  );
}

export async function revokeKey({ params, services, by, write }: Context<"keys">) {
  const { id } = keyOf(params["id"]!, services.keys.list());
  const { name } = await write(() => services.keys.revoke(id, { by }));
  return redirect(path, `Key ${name} revoked.`);
}

function keyOf(id: string, keys: readonly ApiKey[]): ApiKey {
  const found = isId("apiKey", id) ? keys.find((key) => key.id === id) : undefined;
  if (found === undefined) throw notFound("There is no API key with this ID.");
  return found;
}
