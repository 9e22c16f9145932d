import { badRequest } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import { Confirm, LinkButton, PageHead } from "../../kit/components.tsx";
import { Button, Choices, Form } from "../../kit/form.tsx";
import { download, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { trapPath, trapsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { trapOf } from "./values.tsx";

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
    title,
    <>
      <PageHead title={title} crumbs={[{ label: trap.name, path }]} />
      <Form action={`${path}/rotate`} class="narrow">
        <Choices
          label="The old address"
          name="watch_old"
          choices={oldAddressChoices}
          values={["yes"]}
          single
        />
        <p class="line">
          <Button label="Rotate" variant="primary" />
          <LinkButton path={path} label="Cancel" />
        </p>
      </Form>
    </>,
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
