import type { ComponentChildren } from "preact";
import { counted } from "../../../../platform/lib/wording.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { DeploymentStep, TrapFiles } from "../../../../response/traps/presentation.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import { rotates } from "../../../../platform/vocabulary/traps.ts";
import { Card, Copyable, Facts, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { Button, PostButton, TextArea, TextField } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { trapPath, trapsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { PlainHttpNote, StateOf, trapOf, ValueOf } from "./values.tsx";
import { Visits } from "./visits.tsx";

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
    trap.name,
    <>
      <PageHead
        title={
          <>
            <Text text={trap.name} /> <StateOf trap={trap} now={now} />
          </>
        }
        crumbs={[{ label: title, path: trapsPath(kind.name) }]}
      >
        {rotates(kind.name) ? <LinkButton path={`${path}/rotate`} label="Rotate" /> : null}
        <PostButton
          action={`${path}/state`}
          label={trap.enabled ? "Disable" : "Enable"}
          fields={{ enabled: trap.enabled ? "no" : "yes" }}
        />
        <Menu>
          <MenuLink path={`${path}/delete`} label="Delete" danger />
        </Menu>
      </PageHead>
      {isVisited ? null : deploy}
      <Card title="Details">
        <Facts facts={factsOf(trap, kind)} />
      </Card>
      <Visits context={context} kind={kind} trap={trap} path={path} />
      {isVisited ? deploy : null}
    </>,
  );
}

function factsOf(trap: Trap, kind: TrapKind): [string, ComponentChildren][] {
  const { facts, fields } = kind.presentation;
  const canExpire = fields.some(({ type }) => type === "expiry");
  const { expiresAt, oldAddresses } = trap;
  return [
    ...facts(trap).map(({ label, value }): [string, ComponentChildren] => [label, <ValueOf value={value} />]),
    ["Memo", <ValueOf value={{ text: trap.memo }} charactersMax={1_000} />],
    ...(canExpire
      ? ([["Expires", expiresAt === null ? "never" : <Time at={expiresAt} />]] as [
          string,
          ComponentChildren,
        ][])
      : []),
    ["Created", <Time at={trap.createdAt} />],
    ...(oldAddresses.length === 0
      ? []
      : ([["Still monitored", counted(oldAddresses.length, "previous address", "previous addresses")]] as [
          string,
          ComponentChildren,
        ][])),
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
