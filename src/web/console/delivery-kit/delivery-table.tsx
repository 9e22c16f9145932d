import type { Delivery } from "../../../messaging/deliveries/delivery-log.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { isMessage } from "../../../messaging/content/sent-message.ts";
import { Time } from "../kit/components.tsx";
import { PostButton } from "../kit/form.tsx";
import { Text } from "../kit/inline.tsx";
import { deliveryPath } from "../kit/paths.ts";
import { column, Table, type Column } from "../kit/table.tsx";
import type { PageServices } from "../shell/services.ts";
import { DeliveryBadge, resultOf, SentLink, sentReader } from "./delivery-parts.tsx";

/** Deliveries, one per row: what was sent, to whom, what came back, and what happens next. */
export function DeliveryTable(props: {
  rows: readonly Delivery[];
  services: Pick<PageServices, "deliveries" | "domains" | "threats">;
  empty: string;
  withRecipient?: boolean;
}) {
  const { rows, services, empty, withRecipient = true } = props;
  const { deliveries, domains, threats } = services;
  const sentOf = sentReader({ domains, threats, log: deliveries.log });
  const to: Column<Delivery> = column("To", "hidden", ({ recipientName }) => (
    <span class="to cut">
      <Text text={recipientName} charactersMax={60} />
    </span>
  ));
  const columns: Column<Delivery>[] = [
    column(rows.every(isMessage) ? "Message" : "Event", "wide title", (delivery) => (
      <SentLink delivery={delivery} sent={sentOf(delivery)} />
    )),
    ...(withRecipient ? [to] : []),
    column("Result", "tight state", ({ status }) => <DeliveryBadge status={status} />),
    column("Cause", "under", (delivery) => <Cause delivery={delivery} />),
    column("Duration", "number hidden", ({ last }) => (
      <span class="tight">{last === null ? "–" : `${grouped(last.durationMs)} ms`}</span>
    )),
    column("Attempt", "number hidden", ({ attempts, channel }) => (
      <span class="tight">{`${attempts} of ${Math.max(attempts, deliveries.attemptsMax(channel))}`}</span>
    )),
    column("Time", "number end", ({ completedAt, createdAt }) => (
      <span class="tight">
        <Time at={completedAt ?? createdAt} relative="short" />
      </span>
    )),
    column(<span class="vh">Actions</span>, "number hidden", (delivery) =>
      delivery.status === "failed" ? (
        <PostButton action={`${deliveryPath(delivery)}/send`} label="Send again" variant="plain" small />
      ) : null,
    ),
  ];
  return <Table caption="Deliveries" columns={columns} rows={rows} empty={empty} />;
}

/** Why a delivery has its status: the result of its last attempt, and the next one. */
function Cause({ delivery }: { delivery: Delivery }) {
  const { attempts, last, nextAttemptAt, status } = delivery;
  const result = last === null ? undefined : resultOf(last);
  if (status !== "pending") return <span class="why">{result ?? "–"}</span>;
  const before = result === undefined || last?.failure === null ? "" : `${result}. `;
  if (nextAttemptAt === null)
    return (
      <span class="why">
        {before}Waits until the {isMessage(delivery) ? "channel" : "endpoint"} is enabled.
      </span>
    );
  return (
    <span class="why">
      {before}
      {attempts === 0 ? "First attempt" : "Next"} <Time at={nextAttemptAt} relative="next" />
    </span>
  );
}
