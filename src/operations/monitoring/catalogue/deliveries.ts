import { counter, gauge } from "../model/metric.ts";

/** Metrics of deliveries to webhook endpoints and channels. */
export const deliveryMetrics = {
  deliveries: gauge({
    name: "phishwatch_deliveries",
    help: "Deliveries in the log, by recipient and status. Above 200,000 deliveries, the numbers are those of the previous scrape. Decreases when old ones are deleted.",
    labels: ["recipient", "status"],
  }),
  attempts: counter({
    name: "phishwatch_delivery_attempts_total",
    help: "Attempts to deliver, by recipient and result (ok, failed, gave_up: the last retry failed).",
    labels: ["recipient", "result"],
  }),
  oldestWaiting: gauge({
    name: "phishwatch_delivery_oldest_waiting_seconds",
    help: "Age of the oldest delivery that is pending, by recipient, without those of disabled recipients.",
    labels: ["recipient"],
  }),
  recipientState: gauge({
    name: "phishwatch_recipient_state",
    help: "Always 1; the labels give the state of a recipient (enabled, failing, held, disabled) and its last failure.",
    labels: ["recipient", "state", "failure"],
  }),
  notificationsWaiting: gauge({
    name: "phishwatch_notifications_waiting",
    help: "Changes that wait for the next message of a subscription.",
  }),
  notifications: counter({
    name: "phishwatch_notifications_total",
    help: "Messages composed for subscriptions.",
  }),
};
