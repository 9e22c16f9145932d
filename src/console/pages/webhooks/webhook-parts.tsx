import type { Endpoint } from "../../../channels/webhook/endpoint.ts";
import { causeOf, recipientState } from "../../../deliveries/rules/recipient-state.ts";
import type { Instant } from "../../../lib/clock.ts";
import { grouped } from "../../../lib/wording.ts";
import { ActionLink, Badge, Copyable, FlashMessage, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { webhooksPath as path } from "../../kit/paths.ts";
import { ResponseStart } from "./delivery-parts.tsx";
import { type Saved } from "./webhook-form.tsx";

/** Whether the endpoint is enabled, and whether its deliveries succeed. */
export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const { disabledReason, disabledAt, consecutiveFailures, failingSince, nextProbeAt } = endpoint;
  const state = recipientState(endpoint);
  if (state === "disabled")
    return (
      <>
        <Badge tone={disabledReason === "failing" ? "bad" : "neutral"}>disabled</Badge>{" "}
        <span class="hint">
          {disabledReason === "failing"
            ? "every delivery failed"
            : disabledReason === "undeclared"
              ? "no longer in the configuration file"
              : "paused by a person"}
          {disabledAt === null ? null : (
            <>
              , <Time at={disabledAt} relative />
            </>
          )}
        </span>
      </>
    );
  if (state === "enabled") return <Badge tone="good">enabled</Badge>;
  const cause = causeOf(endpoint);
  return (
    <>
      <Badge tone="bad">{state}</Badge>{" "}
      <span class="hint">
        {grouped(consecutiveFailures)} in a row
        {failingSince === null ? null : (
          <>
            , first <Time at={failingSince} relative />
          </>
        )}
        {state === "failing" || nextProbeAt === null ? null : (
          <>
            , next probe <Time at={nextProbeAt} relative="next" />
          </>
        )}
      </span>
      {cause === null ? null : (
        <div class="hint">
          <Text text={cause} charactersMax={200} />
        </div>
      )}
    </>
  );
}

/** Results of a change, shown once. */
export function SavedNote({ saved: { secret, test, warning } }: { saved: Saved }) {
  return (
    <>
      {secret === undefined ? null : (
        <div class="card once">
          <h2>Secret</h2>
          <p>
            Signs each request. The receiver verifies X-Service-Signature with it. Copy it now: it is shown
            only once.
          </p>
          <Copyable text={secret} label="the secret" secret />
        </div>
      )}
      {warning === undefined ? null : (
        <FlashMessage
          flash={{ tone: "warning", text: `The host of this URL cannot be resolved: ${warning}` }}
        />
      )}
      {test === undefined ? null : test.failure === null ? (
        <FlashMessage
          flash={{
            tone: "success",
            text: `Test delivered: HTTP status ${test.statusCode} in ${test.durationMs} ms.`,
          }}
        />
      ) : (
        <>
          <FlashMessage
            flash={{
              tone: "danger",
              text: `Test failed: ${test.error ?? test.failure}. ${test.advice}`,
            }}
          />
          <ResponseStart response={test.response} />
        </>
      )}
    </>
  );
}

export function SecretState({
  endpoint,
  now,
  declared,
}: {
  endpoint: Endpoint;
  now: Instant;
  declared: boolean;
}) {
  const { id, previousSecretUntil } = endpoint;
  const rotating = previousSecretUntil !== null && previousSecretUntil > now;
  return (
    <>
      stored, not shown
      {rotating ? (
        <>
          {" "}
          · the previous one also signs until <Time at={previousSecretUntil} />
        </>
      ) : null}
      {declared ? null : <ActionLink path={`${path}/${id}/rotate`} label="Rotate" />}
    </>
  );
}
