import type { DeliveryFilter } from "../../../../messaging/deliveries/delivery-log.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { isMessage } from "../../../../messaging/content/sent-message.ts";
import { deliveryStatuses } from "../../../../platform/vocabulary/deliveries.ts";
import { PageHead } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { Select, TextField } from "../../kit/form.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import {
  deliveriesPath,
  deliveriesToPath,
  messagesPath,
  notificationsPath,
  webhooksPath,
} from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { statusChoices } from "./delivery-parts.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { FailureList } from "./failure-list.tsx";
import { channelWords, endpointWords } from "./recipient-note.tsx";

const perPage = 50;

interface Log {
  path: string;
  /** Whether it contains the messages to people, or the events for programs. */
  people: boolean;
  title: string;
  lead: string;
  back: { label: string; path: string };
  /** Label of a recipient. */
  recipient: string;
  empty: string;
}

export const deliveryLogs: readonly Log[] = [
  {
    path: deliveriesPath,
    people: false,
    title: "Delivery log",
    lead: "Every event that was or will be sent, the response, and what happens next.",
    back: { label: "Webhook endpoints", path: webhooksPath },
    recipient: "Endpoint",
    empty: "No deliveries yet.",
  },
  {
    path: messagesPath,
    people: true,
    title: "Message log",
    lead: "Every message that was or will be sent, the response, and what happens next.",
    back: { label: "Notifications", path: notificationsPath },
    recipient: "Channel",
    empty: "No messages yet.",
  },
];

/** Shows the deliveries of one log, newest first. */
export function showLog(
  { query, services }: Context<"deliveries" | "domains" | "threats">,
  { path, people, title, lead, back, recipient: label, empty }: Log,
) {
  const { deliveries } = services;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${path}${short.size === 0 ? "" : `?${short}`}`);
  const given = (name: string) => (query.get(name) ?? "").trim();
  const status = deliveryStatuses.find((one) => one === given("status"));
  const about = given("about");
  const recipients = deliveries.recipients.listAll();
  const own = recipients.filter((one) => isMessage(one) === people);
  const channels = [...new Set(own.map(({ channel }) => channel))];
  const other = recipients.find((one) => one.id === given("endpoint") && isMessage(one) !== people);
  if (other !== undefined) return redirect(deliveriesToPath(other));
  const recipient = given("endpoint") === "" ? undefined : given("endpoint");
  const filter: DeliveryFilter = {
    ...(recipient === undefined ? {} : { recipient }),
    ...(status === undefined ? {} : { status }),
    ...(isId("event", about) ? { event: about } : {}),
    ...(isId("threat", about) ? { threat: about } : {}),
    ...(given("before") === "" ? {} : { before: given("before") }),
  };
  const isUnknown = about !== "" && !isId("event", about) && !isId("threat", about);
  const found = isUnknown ? [] : deliveries.log.list({ ...filter, channels }, perPage + 1);
  const rows = found.slice(0, perPage);
  const older = new URLSearchParams(query);
  if (found.length > perPage) older.set("before", rows.at(-1)!.id);
  const newest = new URLSearchParams(query);
  newest.delete("before");
  const isFiltered = Object.keys(filter).length > 0 || isUnknown;
  return page(
    title,
    <>
      <PageHead title={title} crumbs={[back]} lead={lead} />
      {query.has("before") || about !== "" ? null : (
        <FailureList
          failed={deliveries.failures.of({ channels, ...(recipient === undefined ? {} : { recipient }) })}
          words={people ? channelWords : endpointWords}
          deliveries={deliveries}
        />
      )}
      <form class="line filters" method="get" action={path} role="search">
        <Select
          label={label}
          name="endpoint"
          value={given("endpoint")}
          choices={[
            { value: "", label: "All" },
            ...own.map(({ id, name }) => ({ value: id, label: visible(name, 60) })),
          ]}
        />
        <Select
          label="Result"
          name="status"
          value={status ?? ""}
          choices={[{ value: "", label: "All" }, ...statusChoices]}
        />
        {people ? null : (
          <TextField
            label="Event or threat"
            name="about"
            value={about}
            maxLength={40}
            placeholder="evt_… or thr_…"
            error={isUnknown ? "An identifier starts with evt_ or thr_." : undefined}
          />
        )}
        <button type="submit" class="btn">
          Apply filter
        </button>
      </form>
      <DeliveryTable
        rows={rows}
        services={services}
        empty={isFiltered ? "No deliveries match these filters." : empty}
      />
      <nav class="pagination" aria-label="Pages">
        {query.has("before") ? (
          <a class="btn small" href={`${path}?${newest}`}>
            Newest
          </a>
        ) : (
          <span />
        )}
        {found.length > perPage ? (
          <a class="btn small" href={`${path}?${older}`} rel="next">
            Older
          </a>
        ) : null}
      </nav>
    </>,
  );
}
