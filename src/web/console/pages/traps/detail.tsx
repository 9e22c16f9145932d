import { counted } from "../../../../platform/lib/wording.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { DeploymentStep, TrapFiles } from "../../../../response/traps/presentation.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import { rotates } from "../../../../platform/vocabulary/traps.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Card, Copyable, Facts, LinkButton, Time, Confirm, type Fact } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { Button, PostButton, TextArea, TextField, Choices, Form } from "../../kit/form.tsx";
import { Text } from "../../kit/inline.tsx";
import { page, type PageResult, download, redirect } from "../../kit/page-result.ts";
import { trapPath, trapsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { PlainHttpNote, StateOf, trapOf, ValueOf, Visits } from "./visits.tsx";

export function showTrap(context: Context<"traps">, kind: TrapKind): PageResult {
  const { services, now } = context;
  const { traps } = services;
  const { deployment, files, texts, title } = kind.presentation;
  const trap = trapOf(context, kind);
  const path = trapPath(kind.name, trap.id);
  const steps = deployment(trap, traps.links(kind, trap));
  const advanced = steps.filter(({ level }) => level === "advanced");
  const deploy = (
    <Card title="Deploy">
      <div class="stack">
        <PlainHttpNote publicUrl={traps.publicUrl()} />
        <Steps steps={steps.filter((step) => !advanced.includes(step))} />
        {advanced.length === 0 ? null : (
          <details class="more">
            <summary>{texts.advanced}</summary>
            <Steps steps={advanced} />
          </details>
        )}
        {files?.offered(trap) === true ? <FileForm path={path} trap={trap} files={files} /> : null}
      </div>
    </Card>
  );
  // The visits matter most once there are any.
  const isVisited = traps.visits.totals(trap.id).length > 0;
  return page(
    {
      title: trap.name,
      heading: (
        <>
          <Text text={trap.name} /> <StateOf trap={trap} now={now} />
        </>
      ),
      crumbs: [{ label: title, path: trapsPath(kind.name) }],
      actions: (
        <>
          {rotates(kind.name) ? <LinkButton path={`${path}/rotate`} label="Rotate" /> : null}
          <PostButton
            action={`${path}/state`}
            label={trap.enabled ? "Disable" : "Enable"}
            fields={{ enabled: trap.enabled ? "no" : "yes" }}
          />
          <Menu>
            <MenuLink path={`${path}/delete`} label="Delete" danger />
          </Menu>
        </>
      ),
    },
    <>
      {isVisited ? null : deploy}
      <Card title="Details">
        <Facts facts={factsOf(trap, kind)} />
      </Card>
      <Visits context={context} kind={kind} trap={trap} path={path} />
      {isVisited ? deploy : null}
    </>,
  );
}

function factsOf(trap: Trap, kind: TrapKind): Fact[] {
  const { facts, fields } = kind.presentation;
  const canExpire = fields.some(({ type }) => type === "expiry");
  const { expiresAt, oldAddresses } = trap;
  return [
    ...facts(trap).map(({ label, value }): Fact => [label, <ValueOf value={value} />]),
    ["Memo", <ValueOf value={{ text: trap.memo }} charactersMax={1_000} />],
    canExpire && ["Expires", expiresAt === null ? "never" : <Time at={expiresAt} />],
    ["Created", <Time at={trap.createdAt} />],
    oldAddresses.length > 0 && [
      "Still monitored",
      counted(oldAddresses.length, "previous address", "previous addresses"),
    ],
  ];
}

function Steps({ steps }: { steps: readonly DeploymentStep[] }) {
  return (
    <>
      {steps.map(({ text, snippet, label }) => (
        <div class="step-of-trap">
          <p>{text}</p>
          <Copyable text={snippet} label={label} />
        </div>
      ))}
    </>
  );
}

/** A GET, because it changes nothing. */
function FileForm({ path, trap, files }: { path: string; trap: Trap; files: TrapFiles<unknown> }) {
  return (
    <form method="get" action={`${path}/file`} class="narrow">
      <TextField label="Title" name="title" value={trap.name} maxLength={200} />
      <TextArea label="Text" name="text" rows={3} maxLength={5_000} hint="What readers of the file see." />
      <p class="line">
        {files.formats.map(({ format, label }) => (
          <Button label={`Download as ${label}`} name="format" value={format} />
        ))}
      </p>
      <p class="hint">{files.hint}</p>
    </form>
  );
}

export async function setTrapState(context: Context<"traps">, kind: TrapKind): Promise<PageResult> {
  const { services, form, by } = context;
  const { texts } = kind.presentation;
  const enabled = form.get("enabled") === "yes";
  const { id } = trapOf(context, kind);
  const trap = await context.write(() => services.traps.of(kind).setEnabled(id, enabled, { by }));
  const outcome = enabled ? texts.enabled : texts.disabled;
  return redirect(trapPath(kind.name, trap.id), `${visible(trap.name)} ${outcome}.`);
}

const oldAddressChoices = [
  { value: "yes", label: "is still monitored", hint: "shows who kept it" },
  { value: "no", label: "returns 404 from now on", hint: "whatever contains it must be deployed again" },
];

export function confirmRotation(context: Context<"traps">, kind: TrapKind): PageResult {
  const trap = trapOf(context, kind);
  const title = `Give ${visible(trap.name)} a new address?`;
  const path = trapPath(kind.name, trap.id);
  return page(
    { title, crumbs: [{ label: trap.name, path }] },
    <Form action={`${path}/rotate`} class="narrow">
      <Choices label="The old address" name="watch_old" choices={oldAddressChoices} initial="yes" single />
      <p class="line">
        <Button label="Rotate" variant="primary" />
        <LinkButton path={path} label="Cancel" />
      </p>
    </Form>,
  );
}

export async function rotateTrap(context: Context<"traps">, kind: TrapKind): Promise<PageResult> {
  const { services, form, by } = context;
  const watchOld = form.get("watch_old") === "yes";
  const { id } = trapOf(context, kind);
  const trap = await context.write(() => services.traps.of(kind).rotate(id, { watchOld, by }));
  const old = watchOld ? "The old one is still monitored." : "The old one returns 404.";
  return redirect(trapPath(kind.name, trap.id), `${visible(trap.name)} has a new address. ${old}`);
}

export function confirmDeletion(context: Context<"traps">, kind: TrapKind): PageResult {
  const trap = trapOf(context, kind);
  const title = `Delete ${visible(trap.name)}?`;
  const path = trapPath(kind.name, trap.id);
  return page(
    title,
    <Confirm title={title} action={`${path}/delete`} button="Delete" back={path}>
      <p>{kind.presentation.texts.deleting}</p>
    </Confirm>,
  );
}

export async function deleteTrap(context: Context<"traps">, kind: TrapKind): Promise<PageResult> {
  const { services, by } = context;
  const { id } = trapOf(context, kind);
  const { name } = await context.write(() => services.traps.of(kind).delete(id, { by }));
  return redirect(trapsPath(kind.name), `${visible(name)} was deleted.`);
}

export async function sendFile(context: Context<"traps">, kind: TrapKind): Promise<PageResult> {
  const { query, services } = context;
  const { files } = kind.presentation;
  const trap = trapOf(context, kind);
  const found = files?.formats.find(({ format }) => format === query.get("format"));
  if (files === undefined || found === undefined || !files.offered(trap))
    throw badRequest(`This ${kind.name} has no file in this format.`);
  const title = (query.get("title") ?? trap.name).slice(0, 200);
  const text = (query.get("text") ?? "").slice(0, 5_000);
  const { format, mediaType } = found;
  const bytes = await files.write(trap, services.traps.links(kind, trap), { format, title, text });
  return download(`${title || trap.name}.${format}`, mediaType, bytes);
}
