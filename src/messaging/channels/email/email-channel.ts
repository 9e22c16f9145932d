import type { SmtpConfig } from "../../../platform/config/sections/notifications.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { AttemptResult, Channel, NotAttempted } from "../../deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Notice } from "../../content/notice.ts";
import { failed, unsent } from "../http/attempt.ts";
import { channelTraits, messageRetriesForMs } from "../http/channel-traits.ts";
import type { NoticeChannel } from "../http/notice-channel.ts";
import type { ChannelTarget } from "../http/notice-type.ts";
import type { Screenshot } from "../http/screenshots.ts";
import { withoutSecrets } from "../http/secrets.ts";
import { emailFailures } from "../failures.ts";
import { composeLetter } from "./letter.ts";
import { createMailServer, type MailServer } from "./mail-server.ts";
import { classify, type Outcome, type Progress } from "./outcome.ts";
import type { SmtpResult, SmtpTimeouts } from "./smtp.ts";

/** Mail servers count connections. More messages wait. */
const connectionsMax = 2;
/** Below the limits of all services: Exchange Online and Gmail accept 30 a minute from one sender. */
const messagesPerSecond = 0.5;
/** RFC 5321 permits servers several minutes for each step, which few need. */
const defaultTimeouts: SmtpTimeouts = { connectMs: 10_000, silenceMs: 60_000, totalMs: 180_000 };

/**
 * Messages that only some recipients have accepted, which are remembered in memory. After a restart, and beyond this number,
 * all recipients are sent such a message again, with the same Message-ID.
 */
const partlyDeliveredMax = 1_000;

interface Sending extends Needs<"clock" | "log"> {
  /** Returns the small screenshot of a threat's page, or null if there is none. */
  screenshotOf: (threatId: string) => Promise<Screenshot | null>;
}

/** Sends messages to people as emails over one mail server. */
export function createEmailChannel({
  config,
  timeouts = defaultTimeouts,
  ...sending
}: Sending & {
  /** Null: no mail server is set. Read when it is needed, because it can change. */
  config: { readonly smtp: SmtpConfig | null };
  timeouts?: SmtpTimeouts;
}): NoticeChannel & { readonly mailServer: MailServer | null } {
  const shared = {
    limit: createLimiter(connectionsMax),
    partlyDelivered: new BoundedMap<string, Progress>(partlyDeliveredMax),
  };
  /** Attempts that have not begun to send. */
  const opening = new Set<AbortController>();
  let opened: { smtp: SmtpConfig; mailServer: MailServer; sender: Sender } | undefined;

  function present() {
    const { smtp } = config;
    if (smtp === null) return undefined;
    if (opened?.smtp !== smtp) {
      const mailServer = createMailServer(smtp, timeouts);
      opened = {
        smtp,
        mailServer,
        sender: createSender({ ...sending, ...shared, mailServer, opening, smtp }),
      };
    }
    return opened;
  }

  const channel: Channel<ChannelTarget> = {
    kind: "email",
    recipients: channelTraits,
    subscribesToEvents: false,
    failures: emailFailures,
    ratePerSecond: messagesPerSecond,
    retriesForMs: messageRetriesForMs,

    validate(target) {
      if (config.smtp === null)
        throw badRequest("no mail server is set; set smtp.host and smtp.from in the configuration file");
      return { ...target, to: [...new Set(target.to)] };
    },

    async send({ to }, message, signal) {
      const sender = present()?.sender;
      // The channel was added when there was a mail server. Its messages wait until there is one again.
      if (sender === undefined)
        return {
          ...failed(unsent(sending.clock.now()), "no_mail_server", "no mail server is set"),
          consequence: "disable",
        };
      // The channel itself wrote the message.
      return sender.send(JSON.parse(message.body) as Notice, { to, signal });
    },

    abortUnsent() {
      for (const abort of opening) abort.abort();
    },
  };
  return {
    type: "email",
    label: "Email",
    channel,
    get mailServer() {
      return present()?.mailServer ?? null;
    },
  };
}

type Sender = ReturnType<typeof createSender>;

function createSender({
  clock,
  limit,
  log,
  mailServer,
  opening,
  partlyDelivered,
  screenshotOf,
  smtp: { from },
}: Sending & {
  limit: ReturnType<typeof createLimiter>;
  mailServer: MailServer;
  opening: Set<AbortController>;
  /** By identifier of the message. */
  partlyDelivered: BoundedMap<string, Progress>;
  smtp: SmtpConfig;
}) {
  /** Makes an attempt to send a message to those who have not accepted it yet. */
  async function attempt(
    notice: Notice,
    to: readonly string[],
    options: { signal: AbortSignal; onSending: () => void },
  ): Promise<AttemptResult | NotAttempted> {
    const startedAt = clock.now();
    const image = notice.threat === null ? null : await screenshotOf(notice.threat.id);
    const content = await composeLetter(notice, { from, to, image });
    const before = partlyDelivered.get(notice.id) ?? null;
    const left = to.filter((address) => before?.accepted.includes(address) !== true);
    const result = await mailServer.send({ from, to: left, content }, options);
    if (typeof result === "string") return result;
    const outcome = classify(result, before, { isTest: notice.kind === "test" });
    if (outcome.progress === null) partlyDelivered.delete(notice.id);
    else partlyDelivered.set(notice.id, outcome.progress);
    report(notice, outcome);
    return withoutSecrets(toAttempt(result, outcome, startedAt), mailServer.secrets);
  }

  function report({ id }: Notice, { lost }: Outcome): void {
    for (const { address, reply } of lost)
      log.event("email.recipient_rejected", {
        messageId: id,
        recipientAddress: address,
        response: visible(reply),
      });
  }

  return {
    async send(
      notice: Notice,
      { to, signal }: { to: readonly string[]; signal: AbortSignal | undefined },
    ): Promise<AttemptResult | NotAttempted> {
      const abort = new AbortController();
      opening.add(abort);
      const options = {
        signal: signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]),
        onSending: () => void opening.delete(abort),
      };
      try {
        return await limit(() => attempt(notice, to, options));
      } finally {
        opening.delete(abort);
      }
    },
  };
}

function toAttempt(
  { durationMs, phases, address }: SmtpResult,
  { lost: _lost, progress: _progress, ...outcome }: Outcome,
  startedAt: Instant,
): AttemptResult {
  return { ...unsent(startedAt), durationMs, phases, address, ...outcome };
}
