import type { Attempt, Delivery, DeliveryLog } from "../../../deliveries/delivery-log.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import { isMessage, titleOf } from "../../../notices/sent-message.ts";
import type { DeliveryStatus } from "../../../vocabulary/deliveries.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark, type Tone } from "../../kit/marks.tsx";
import { PostButton } from "../../kit/form.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { deliveryPath } from "../../kit/paths.ts";
import { Table, type Column } from "../../kit/table.tsx";

const statusBadges: Record<DeliveryStatus, { tone: Tone; label: string }> = {
  failed: { tone: "bad", label: "failed" },
  pending: { tone: "warn", label: "waiting" },
  succeeded: { tone: "good", label: "delivered" },
};
/** Choices of a filter, those that need attention first. */
export const statusChoices = Object.entries(statusBadges).map(([value, { label }]) => ({ value, label }));

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { tone, label } = statusBadges[status];
  return <StateMark tone={tone}>{label}</StateMark>;
}

/**
 * Outcome of a delivery, or its next step.
 * @param attemptsShown number of attempts that the page lists, also those before it was sent again
 */
export function NextStep({ delivery, attemptsShown = 0 }: { delivery: Delivery; attemptsShown?: number }) {
  const { status, attempts, nextAttemptAt, completedAt } = delivery;
  const isSentAgain = attemptsShown > attempts;
  const made = `${counted(attempts, "attempt")}${isSentAgain ? " since it was sent again" : ""}`;
  if (status !== "pending")
    return (
      <>
        {status === "succeeded" ? "delivered" : "failed"} after {made}
        {completedAt === null ? null : (
          <>
            , <Time at={completedAt} relative />
          </>
        )}
      </>
    );
  if (nextAttemptAt === null)
    return <>waiting until the {isMessage(delivery) ? "channel" : "endpoint"} is enabled</>;
  return (
    <>
      {attempts > 0 ? `${made} failed, next` : isSentAgain ? "next attempt" : "first attempt"}{" "}
      <Time at={nextAttemptAt} relative="next" />
    </>
  );
}

const attemptColumns: Column<Attempt>[] = [
  { title: "Time", layout: "tight", cell: ({ startedAt }) => <Time at={startedAt} seconds /> },
  {
    title: "Result",
    layout: "tight",
    cell: ({ statusCode, failure }) => (
      <StateMark tone={failure === null ? "good" : "bad"}>
        {statusCode ?? (failure === null ? statusBadges.succeeded.label : inWords(failure))}
      </StateMark>
    ),
  },
  { title: "Duration", layout: "number", cell: ({ durationMs }) => `${grouped(durationMs)} ms` },
  {
    title: "Error and response",
    layout: "wide",
    cell: ({ error, response, address }) => (
      <>
        {error === null ? null : (
          <div>
            <Text text={error} charactersMax={500} />
          </div>
        )}
        {address === null ? null : <div class="hint">to {address}</div>}
        <ResponseStart response={response} />
      </>
    ),
  },
];

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return <Table caption="Attempts" columns={attemptColumns} rows={attempts} empty="No attempts yet." />;
}

const responseLinesMax = 20;

/** Start of a response, shown as text whatever it contains. */
export function ResponseStart({ response }: { response: string }) {
  // Hidden characters are stored escaped. Line breaks and tabs should be visible as such.
  const text = response
    .replaceAll(/(?:\\u\{d\})?\\u\{a\}/g, "\n")
    .replaceAll("\\u{9}", "\t")
    .trim();
  if (text === "") return null;
  const shown = text.split("\n").slice(0, responseLinesMax).join("\n");
  return (
    <pre class="response" tabIndex={0} aria-label="Start of the response">
      <bdi>{shown}</bdi>
    </pre>
  );
}

export function DeliveryTable({
  deliveries,
  log,
  empty,
  withRecipient = true,
}: {
  deliveries: readonly Delivery[];
  log: Pick<DeliveryLog, "body">;
  empty: string;
  withRecipient?: boolean;
}) {
  const columns: Column<Delivery>[] = [
    {
      title: deliveries.every(isMessage) ? "Message" : "Event",
      cell: (delivery) => <a href={deliveryPath(delivery)}>{titleOf(delivery, log)}</a>,
    },
    ...(withRecipient
      ? [
          {
            title: "Recipient",
            cell: ({ recipientName }: Delivery) => <Text text={recipientName} />,
          },
        ]
      : []),
    { title: "Status", layout: "tight", cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: "Created", layout: "tight", cell: ({ createdAt }) => <Time at={createdAt} relative /> },
    { title: "Outcome", layout: "wide", cell: (delivery) => <NextStep delivery={delivery} /> },
    {
      title: <span class="vh">Actions</span>,
      cell: (delivery) =>
        delivery.status === "failed" ? (
          <PostButton action={`${deliveryPath(delivery)}/send`} label="Send again" />
        ) : null,
    },
  ];
  return <Table caption="Deliveries" columns={columns} rows={deliveries} empty={empty} />;
}
