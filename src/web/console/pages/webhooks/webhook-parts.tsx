import type { Endpoint } from "../../../../messaging/channels/webhook/endpoint.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { ActionLink, Copyable, Time } from "../../kit/components.tsx";
import { FlashMessage } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { webhooksPath as path } from "../../kit/paths.ts";
import { TestNote, type TestShown } from "../../delivery-kit/delivery-parts.tsx";

/** The URL of an endpoint. Its path and query may hold a secret, which only administrators may see. */
export function EndpointUrl({ url, charactersMax }: { url: string; charactersMax: number }) {
  const isWhole = usePage().may("administer");
  return <Text text={isWhole ? url : `${new URL(url).origin}/…`} charactersMax={charactersMax} />;
}

/** Results of a change, shown once on the page of the endpoint. */
export interface Saved {
  /** The new secret. It cannot be retrieved later. */
  secret?: string | undefined;
  test?: TestShown | undefined;
  /** The host of the URL has no address yet. */
  warning?: string | undefined;
}

export const savedName = (id: string) => `webhook ${id}`;

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
      {test === undefined ? null : <TestNote test={test} />}
    </>
  );
}

export function SecretState(props: { endpoint: Endpoint; now: Instant; declared: boolean }) {
  const { endpoint, now, declared } = props;
  const { id, previousSecretUntil } = endpoint;
  const rotating = previousSecretUntil !== null && previousSecretUntil > now;
  return (
    <>
      stored, shown only when it was created
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
