import { counted, grouped } from "../../../lib/wording.ts";
import type { Attempt, Delivery } from "../../../deliveries/delivery-log.ts";
import type { DeliveryStatus } from "../../../vocabulary/deliveries.ts";
import { PostButton } from "../../kit/form.tsx";
import { Badge, Time, type Tone } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { deliveriesPath, deliveryPath } from "../../kit/paths.ts";
import { Table, type Column } from "../../kit/table.tsx";
import { inWords } from "../../kit/labels.ts";

const statusLooks: Record<DeliveryStatus, { tone: Tone; label: string }> = {
  pending: { tone: "warn", label: "waiting" },
  succeeded: { tone: "good", label: "delivered" },
  failed: { tone: "bad", label: "failed" },
};

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { tone, label } = statusLooks[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** What became of a delivery, in one sentence. */
export function NextStep({ delivery }: { delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, completedAt } = delivery;
  const made = counted(attempts, "attempt");
  if (status !== "pending")
    return (
      <>
        {status === "succeeded" ? "delivered" : "given up"} after {made}
        {completedAt === null ? null : (
          <>
            , <Time at={completedAt} relative />
          </>
        )}
      </>
    );
  if (nextAttemptAt === null) return <>waits until the webhook is enabled</>;
  return (
    <>
      {attempts === 0 ? "first attempt" : `${made} failed, next`} <Time at={nextAttemptAt} relative />
    </>
  );
}

const attemptColumns: Column<Attempt>[] = [
  { title: "Time", look: "tight", cell: ({ startedAt }) => <Time at={startedAt} seconds /> },
  {
    title: "Result",
    look: "tight",
    cell: ({ statusCode, failure }) => (
      <Badge tone={failure === null ? "good" : "bad"}>
        {statusCode ?? (failure === null ? null : inWords(failure))}
      </Badge>
    ),
  },
  { title: "Took", look: "number", cell: ({ durationMs }) => `${grouped(durationMs)} ms` },
  {
    title: "Error and answer",
    look: "wide",
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
  return (
    <Table caption="Attempts" columns={attemptColumns} rows={attempts} empty="No attempt was made yet." />
  );
}

const answerLinesMax = 20;

/** The start of what the receiver said: text, whatever it holds. */
export function ResponseStart({ response }: { response: string }) {
  // It was kept with its hidden characters written out; of those the ends of lines are meant to be seen as such.
  const text = response
    .replaceAll(/(?:\\u\{d\})?\\u\{a\}/g, "\n")
    .replaceAll("\\u{9}", "\t")
    .trim();
  if (text === "") return null;
  const shown = text.split("\n").slice(0, answerLinesMax).join("\n");
  return (
    <pre class="response" tabIndex={0} aria-label="Start of the answer">
      <bdi>{shown}</bdi>
    </pre>
  );
}

export function DeliveryTable({
  deliveries,
  empty,
  withEndpoint = true,
}: {
  deliveries: readonly Delivery[];
  empty: string;
  withEndpoint?: boolean;
}) {
  const columns: Column<Delivery>[] = [
    {
      title: "Event",
      look: "tight",
      cell: ({ id, eventType }) => <a href={deliveryPath(id)}>{eventType}</a>,
    },
    ...(withEndpoint
      ? [
          {
            title: "Webhook",
            cell: ({ recipientName }: Delivery) => <Text text={recipientName} />,
          },
        ]
      : []),
    { title: "Status", look: "tight", cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: "Made", look: "tight", cell: ({ createdAt }) => <Time at={createdAt} relative /> },
    { title: "Then", look: "wide", cell: (delivery) => <NextStep delivery={delivery} /> },
    {
      title: <span class="unseen">Actions</span>,
      cell: ({ id, status }) =>
        status === "failed" ? (
          <PostButton action={`${deliveriesPath}/${id}/send`} label="Send again" />
        ) : null,
    },
  ];
  return <Table caption="Deliveries" columns={columns} rows={deliveries} empty={empty} />;
}
