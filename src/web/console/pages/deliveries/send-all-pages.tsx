import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import { fragment, page, redirect } from "../../kit/page-result.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { LinkButton } from "../../kit/components.tsx";
import { Button, Form, PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import type { Context, Route } from "../../shell/router.ts";
import { causeText } from "./outcome.ts";
import { RecipientNow } from "./recipient-now.tsx";
import type { RecipientWords } from "./recipient-note.tsx";

/**
 * Routes that send a recipient everything that it was not delivered, with the numbers first, and the fragment that shows
 * the progress.
 * @param options.base address of the recipients' list, below which each has its page
 * @param options.kinds channels of these recipients
 * @param options.duplicates what receivers notice of an event or message that they have received before
 */
export function sendAllRoutes(given: {
  base: string;
  kinds: readonly string[];
  words: RecipientWords;
  duplicates: string;
}): Route<"deliveries">[] {
  const { base, kinds, words, duplicates } = given;
  const path = `${base}/:id/send-all`;

  function recipientOf({ params, services: { deliveries } }: Context<"deliveries">): Recipient {
    const id = params["id"]!;
    const found = kinds.map((kind) => deliveries.recipients.find(kind, id)).find((one) => one?.id === id);
    if (found === undefined) throw notFound("There is no recipient with this ID.");
    return found;
  }

  function ask(context: Context<"deliveries">) {
    const recipient = recipientOf(context);
    const back = `${base}/${recipient.id}`;
    if (!recipient.enabled) throw badRequest(`${recipient.name} is disabled; enable it first`);
    const { failures, sendAll } = context.services.deliveries;
    const { failed, queued } = sendAll.count(recipient.seq, Number.MAX_SAFE_INTEGER);
    const total = failed + queued;
    if (total === 0) return redirect(back, `Nothing is left to send to ${recipient.name}.`);
    const cause = recipient.lastFailure ?? failures.of({ recipient: recipient.id })[0]?.causes[0];
    return page(
      "Send all again",
      <section class="card narrow">
        <h1>
          Send {counted(total, words.one, words.many)} to <Text text={recipient.name} charactersMax={60} />{" "}
          again?
        </h1>
        <div class="prose">
          <p>
            {failed === 0
              ? `All of them are queued and would be sent later.`
              : `${grouped(failed)} failed for good${queued === 0 ? "" : `, ${grouped(queued)} ${queued === 1 ? "is" : "are"} queued`}.`}{" "}
            All are sent now, oldest first. {duplicates}
          </p>
          {cause === undefined ? null : (
            <p>
              The last result was {causeText(cause)}. If that has not been fixed, they fail again and are
              retried on the usual schedule. Send a test first to find out.
            </p>
          )}
        </div>
        <div class="line">
          <Form action={`${back}/send-all`} class="inline">
            <Button
              label={total === 1 ? "Send it again" : `Send all ${grouped(total)} again`}
              icon="send"
              variant="primary"
            />
          </Form>
          <PostButton
            action={`${back}/test`}
            label={`Send test ${words.one === "message" ? "message" : "event"}`}
          />
          <LinkButton path={back} label="Cancel" variant="plain" />
        </div>
      </section>,
    );
  }

  async function send(context: Context<"deliveries">) {
    const { id, name } = recipientOf(context);
    const { failed, queued } = await context.services.deliveries.sendAll.run(id, { by: context.by });
    const total = failed + queued;
    return redirect(
      `${base}/${id}`,
      total === 0
        ? `Nothing is left to send to ${name}.`
        : `${counted(total, words.one, words.many)} ${total === 1 ? "is" : "are"} being sent to ${name}.`,
    );
  }

  function progress(context: Context<"deliveries">) {
    const recipient = recipientOf(context);
    const { deliveries } = context.services;
    return fragment(
      <RecipientNow
        recipient={recipient}
        path={`${base}/${recipient.id}`}
        words={words}
        now={context.now}
        deliveries={deliveries}
      />,
    );
  }

  return [
    { method: "GET", path, permission: "administer", run: ask },
    { method: "POST", path, permission: "administer", run: send },
    { method: "GET", path: `${base}/:id/now`, permission: "read", run: progress },
  ];
}
