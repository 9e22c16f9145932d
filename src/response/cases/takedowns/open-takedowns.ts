import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { createReportSender, type Mailer } from "./sender.ts";
import { createTakedowns } from "./takedowns.ts";

export type OpenTakedowns = ReturnType<typeof openTakedowns>;

/** Constructs the reports to those who can take a site down, and what sends them. */
export function openTakedowns(
  { clock, fillRandom, log, mailer: given }: Needs<"clock" | "fillRandom" | "log"> & { mailer?: Mailer },
  {
    auditLog,
    channels,
    config,
    database,
  }: {
    auditLog: AuditLog;
    /** Null: no mail server is set. */
    channels: { readonly mailServer: Mailer | null };
    config: Pick<Config, "smtp" | "takedown">;
    database: Database;
  },
) {
  const mailer = () => given ?? channels.mailServer;
  /** Addresses in the headers of a report; null: no mail server or no sender is set. */
  function addresses() {
    const from = config.takedown.from ?? config.smtp?.from ?? null;
    return from === null || mailer() === null ? null : { from, replyTo: config.takedown.replyTo };
  }
  const sender = createReportSender({ addresses, clock, database, log, mailer });
  return {
    ...createTakedowns({ auditLog, clock, database, fillRandom, onQueued: sender.wake }),
    /** Whether reports can be sent as email, and from where. */
    addresses,
    settled: sender.settled,
    start: () => void sender.start().catch((error: unknown) => logDropped(log, error, "takedown.not_sent")),
    stop: sender.stop,
  };
}
