import { rotationOverlapMs, type Endpoint } from "../../../../messaging/channels/webhook/endpoint.ts";
import { LinkButton, PageHead, FormError } from "../../kit/components.tsx";
import { attempt } from "../../kit/fields.ts";
import { Button, Choices, Form, TextField } from "../../kit/form.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { webhooksPath } from "../../kit/paths.ts";
import type { Context, Route } from "../../shell/router.ts";
import { savedName, type Saved } from "./webhook-parts.tsx";

/** Routes for rotating the secret of an endpoint. */
export function rotateRoutes(editable: (context: Context<"webhooks">) => Endpoint): Route<"webhooks">[] {
  const path = `${webhooksPath}/:id/rotate`;

  async function rotate(context: Context<"webhooks">) {
    const { form, services, by } = context;
    const endpoint = editable(context);
    const given = (form.get("secret") ?? "").trim();
    const rotated = await attempt(() =>
      services.webhooks.endpoints.rotate(endpoint.id, {
        ...(given === "" ? {} : { secret: given }),
        overlapMs: form.get("old") === "now" ? 0 : rotationOverlapMs,
        by,
      }),
    );
    if (!rotated.ok) return show(endpoint, form, rotated.message);
    const saved: Saved = { secret: rotated.value.secret };
    context.putOnce(savedName(endpoint.id), saved);
    return redirect(`${webhooksPath}/${endpoint.id}`, `${endpoint.name} has a new secret.`);
  }

  return [
    {
      method: "GET",
      path,
      permission: "administer",
      run: (context) => show(editable(context), context.query),
    },
    { method: "POST", path, permission: "administer", run: rotate },
  ];
}

function show(endpoint: Endpoint, form: URLSearchParams, message?: string) {
  const { id, name } = endpoint;
  const back = `${webhooksPath}/${id}`;
  return page(
    "Rotate secret",
    <div class="narrow">
      <PageHead
        title="Rotate the secret"
        crumbs={[{ label: name, path: back }]}
        lead="The new secret is shown once, on the next page."
      />
      <FormError message={message} />
      <Form action={`${back}/rotate`}>
        <Choices
          single
          label="Current secret"
          name="old"
          values={[form.get("old") ?? "later"]}
          choices={[
            {
              value: "later",
              label: "continues to sign for 24 hours",
              hint: "so that the receiver can switch in between",
            },
            { value: "now", label: "stops signing now", hint: "if it has leaked" },
          ]}
        />
        <TextField label="New secret" name="secret" maxLength={200} hint="Leave empty to generate one." />
        <div class="line">
          <Button label="Rotate secret" />
          <LinkButton path={back} label="Cancel" />
        </div>
      </Form>
    </div>,
    { status: message === undefined ? 200 : 400 },
  );
}
