import type { SmtpConfig } from "../../../platform/config/sections/notifications.ts";
import type { NotAttempted } from "../../deliveries/channel.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { hasFreeDescriptor, isLackOfDescriptors } from "../../../platform/network/descriptors.ts";
import { hiding, secretsIn } from "../http/secrets.ts";
import { createTlsFiles, noOwnFiles } from "../http/tls-files.ts";
import { emailFailures } from "../failures.ts";
import { classify } from "./outcome.ts";
import { talkToServer, type Letter, type SmtpResult, type SmtpTimeouts } from "./smtp.ts";

/** A check sends no message, which takes less time. */
const checkMs = 20_000;

export type MailServer = ReturnType<typeof createMailServer>;

/** The mail server of the configuration. */
export function createMailServer(server: SmtpConfig, timeouts: SmtpTimeouts) {
  const tlsFilesOf = createTlsFiles(server);
  const secrets = secretsOf(server);

  async function talk(
    options: Pick<Parameters<typeof talkToServer>[0], "letter" | "onSending" | "signal">,
    limits: SmtpTimeouts,
  ): Promise<SmtpResult | NotAttempted> {
    let authority: string | null;
    try {
      authority = tlsFilesOf(noOwnFiles).ca?.join("\n") ?? null;
    } catch (error) {
      return isLackOfDescriptors(error) ? "no_descriptor" : unusableFile(error);
    }
    const result = await talkToServer({ server, authority, timeouts: limits, ...options });
    const isUnconnected = result !== "aborted" && result.outcome === "failed" && result.step === "connect";
    return isUnconnected && !hasFreeDescriptor() ? "no_descriptor" : result;
  }

  return {
    /** Name and port. */
    name: `${server.host}:${server.port}`,
    /** Texts that a response must not repeat in what is kept of it. */
    secrets,
    signsIn: server.username !== null,
    send: (letter: Letter, options: { signal: AbortSignal; onSending: () => void }) =>
      talk({ letter, ...options }, timeouts),
    /** Connects, encrypts and signs in, without sending anything. Returns the problem, or undefined. */
    async check(): Promise<string | undefined> {
      const result = await talk({}, { ...timeouts, totalMs: Math.min(timeouts.totalMs, checkMs) });
      if (typeof result === "string") return "phishwatch has no file descriptor left";
      if (result.outcome === "done") return undefined;
      const { failure, error } = classify(result, null);
      const problem = failure === null ? undefined : `${error ?? failure}. ${emailFailures[failure]}`;
      return problem === undefined ? undefined : hiding(secrets)(problem);
    },
  };
}

/** Returns everything that signing in sends. Servers repeat commands that they do not accept. */
function secretsOf({ username, password }: SmtpConfig): string[] {
  const [user, secret] = [username ?? "", password ?? ""];
  const sent = [user, secret, `\0${user}\0${secret}`].map((text) => Buffer.from(text).toString("base64"));
  return secretsIn([user, secret, ...sent]);
}

function unusableFile(error: unknown): SmtpResult {
  const conversation = { durationMs: 0, phases: {}, address: null };
  const message = messageOf(error);
  return { ...conversation, outcome: "failed", step: "tls", message, cause: null, reply: "", rejected: [] };
}
