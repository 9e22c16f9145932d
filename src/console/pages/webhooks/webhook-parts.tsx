import type { Instant } from "../../../lib/clock.ts";
import { grouped } from "../../../lib/wording.ts";
import type { Endpoint } from "../../../channels/webhook/endpoint.ts";
import { ResponseStart } from "./delivery-parts.tsx";
import { Badge, Copyable, FlashMessage, Time } from "../../kit/components.tsx";
import { webhooksPath as path } from "../../kit/paths.ts";
import { type Saved } from "./webhook-form.tsx";

/** Whether it is told of events, and whether that works. */
export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const { enabled, disabledReason, disabledAt, consecutiveFailures, failingSince } = endpoint;
  if (!enabled)
    return (
      <>
        <Badge tone={disabledReason === "failing" ? "bad" : "neutral"}>disabled</Badge>{" "}
        <span class="hint">
          {disabledReason === "failing"
            ? "it did nothing but fail"
            : disabledReason === "undeclared"
              ? "it left the configuration file"
              : "by a person"}
          {disabledAt === null ? null : (
            <>
              , <Time at={disabledAt} relative />
            </>
          )}
        </span>
      </>
    );
  if (consecutiveFailures === 0) return <Badge tone="good">enabled</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge>{" "}
      <span class="hint">
        {grouped(consecutiveFailures)} in a row
        {failingSince === null ? null : (
          <>
            , first <Time at={failingSince} relative />
          </>
        )}
      </span>
    </>
  );
}

/** What a save led to: shown once. */
export function SavedNote({ saved: { secret, test, remark } }: { saved: Saved }) {
  return (
    <>
      {secret === undefined ? null : (
        <div class="card once">
          <h2>Secret</h2>
          <p>
            It signs each request; the receiver checks X-Service-Signature with it. It is shown this once:
            copy it now.
          </p>
          <Copyable text={secret} label="the secret" secret />
        </div>
      )}
      {remark === undefined ? null : (
        <FlashMessage
          flash={{ tone: "warning", text: `The host of this URL cannot be found now: ${remark}` }}
        />
      )}
      {test === undefined ? null : test.failure === null ? (
        <FlashMessage
          flash={{
            tone: "success",
            text: `The test was delivered: status ${test.statusCode} in ${test.durationMs} ms.`,
          }}
        />
      ) : (
        <>
          <FlashMessage
            flash={{
              tone: "danger",
              text: `The test failed: ${test.error ?? test.failure}. ${test.advice}`,
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
      kept, not shown{" "}
      {rotating ? (
        <>
          · the one before signs along until <Time at={previousSecretUntil} />{" "}
        </>
      ) : null}
      {declared ? null : (
        <>
          · <a href={`${path}/${id}/rotate`}>Rotate</a>
        </>
      )}
    </>
  );
}
