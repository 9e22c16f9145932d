import { connect, isIP, type Socket } from "node:net";
import nodeTls from "node:tls";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SmtpConfig } from "../../../platform/config/sections/notifications.ts";
import { messageOf } from "../../../platform/lib/errors.ts";

/** Limits of one conversation with a mail server. */
export interface SmtpTimeouts {
  connectMs: number;
  /** Until the greeting, and without any response from the server. */
  silenceMs: number;
  /** For everything. Servers examine a message before they accept it, which can take a minute. */
  totalMs: number;
}

/** A message on its way to a mail server. */
export interface Letter {
  /** Envelope: addresses without names. */
  from: string;
  to: readonly string[];
  /** Headers and body in the format of RFC 5322. */
  content: Uint8Array;
}

/** A recipient that the server did not accept. */
export interface RejectedAddress {
  address: string;
  /** Response of the server. */
  reply: string;
  /** Whether the server asks to try again (4xx). */
  temporary: boolean;
}

/** Step of the conversation at which it failed. */
export type SmtpStep = "dns" | "connect" | "tls" | "greeting" | "login" | "sender" | "recipients" | "content";

interface Conversation {
  durationMs: number;
  /** Durations of the steps in milliseconds, by name. */
  phases: Record<string, number>;
  /** Address that the connection went to; null if there was none. */
  address: string | null;
}

interface SmtpSuccess extends Conversation {
  outcome: "done";
  /** Without a letter: empty. */
  accepted: string[];
  rejected: RejectedAddress[];
  reply: string;
}

interface SmtpFailure extends Conversation {
  outcome: "failed";
  step: SmtpStep;
  /** Why, for people. */
  message: string;
  /** Reason if it was not a response of the server; null: its response, or a failed connection. */
  cause: "timeout" | "closed" | "protocol" | "size" | null;
  /** Response of the server; empty if there was none. */
  reply: string;
  rejected: readonly RejectedAddress[];
}

export type SmtpResult = SmtpSuccess | SmtpFailure;

const quitTimeoutMs = 2_000;
/** Rejects a conversation that was aborted. */
const aborted = Symbol("aborted");

/** An error of nodemailer or of a socket. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  recipient?: string;
  rejectedErrors?: SmtpError[];
}

/**
 * Talks to the mail server over a connection of its own: connects, encrypts as `server.tls` demands, signs in, and
 * sends the letter. Without a letter it stops there.
 * @param options.authority PEM certificate that is trusted in addition to the known authorities
 * @returns "aborted" if `signal` was aborted first
 */
export async function talkToServer({
  server,
  authority,
  letter,
  timeouts,
  signal,
  onSending,
}: {
  server: SmtpConfig;
  authority: string | null;
  letter?: Letter;
  timeouts: SmtpTimeouts;
  signal?: AbortSignal;
  /** Called before anything of the letter is sent. */
  onSending?: () => void;
}): Promise<SmtpResult | "aborted"> {
  // Loaded with the first message: most starts need no mail.
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const startedAt = performance.now();
  const phases: Record<string, number> = {};
  const stop = Promise.withResolvers<never>();
  // Every step below is raced with it. After the last one, it has no other handler.
  stop.promise.catch(() => undefined);
  const deadline = setTimeout(() => stop.reject(timeoutError()), timeouts.totalMs);
  const onAbort = () => stop.reject(aborted);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  let socket: Socket | undefined;
  let smtp: SMTPConnection | undefined;
  let step: SmtpStep = "connect";
  let responds = false;
  const conversation = (): Conversation => ({
    durationMs: Math.round(performance.now() - startedAt),
    phases,
    address: socket?.remoteAddress ?? null,
  });

  async function timed<T>(name: string, work: Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await Promise.race([work, stop.promise]);
    } finally {
      phases[name] = Math.round((performance.now() - from) * 10) / 10;
    }
  }

  try {
    socket = connect({ host: server.host, port: server.port });
    await timed("connect", connected(socket, timeouts.connectMs));
    step = "greeting";
    const connection = new Connection(optionsOf({ server, authority, socket, timeouts }));
    smtp = connection;
    connection.on("error", stop.reject);
    await timed(
      "greeting",
      called<void>((done) => void connection.connect((error) => done(error ?? null))),
    );
    const { username, password } = server;
    if (username !== null && password !== null) {
      step = "login";
      await timed(
        "login",
        called<unknown>((done) => void connection.login({ user: username, pass: password }, done)),
      );
    }
    responds = true;
    if (letter === undefined) return { ...conversation(), ...nothingSent };
    step = "content";
    onSending?.();
    const { from, to, content } = letter;
    const sent = await timed(
      "send",
      called<SMTPConnection.SentMessageInfo>((done) => {
        connection.send({ from, to: [...to], size: content.byteLength }, Buffer.from(content), done);
      }),
    );
    const rejected = (sent.rejectedErrors ?? []).map(toRejected);
    return {
      ...conversation(),
      outcome: "done",
      accepted: sent.accepted,
      rejected,
      reply: oneLine(sent.response),
    };
  } catch (error) {
    if (error === aborted) return "aborted";
    responds = (error as SmtpError).response !== undefined;
    return { ...conversation(), ...failureOf(error as SmtpError, smtp?.upgrading === true ? "tls" : step) };
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", onAbort);
    if (smtp === undefined) socket?.destroy();
    else leave(smtp, responds);
  }
}

const nothingSent = {
  outcome: "done",
  accepted: [],
  rejected: [],
  reply: "",
} as const satisfies Partial<SmtpSuccess>;

/** Ends the session. Sends QUIT, without which servers log a lost connection, if the server still responds. */
function leave(connection: SMTPConnection, responds: boolean): void {
  connection.removeAllListeners("error");
  connection.on("error", () => undefined);
  if (!responds) return connection.close();
  const close = setTimeout(() => connection.close(), quitTimeoutMs);
  close.unref();
  connection.once("end", () => clearTimeout(close));
  connection.quit();
}

function optionsOf({
  server: { host, port, tls },
  authority,
  socket,
  timeouts,
}: {
  server: SmtpConfig;
  authority: string | null;
  socket: Socket;
  timeouts: SmtpTimeouts;
}): SMTPConnection.Options {
  return {
    host,
    port,
    connection: socket,
    secure: tls === "tls",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    connectionTimeout: timeouts.totalMs,
    greetingTimeout: timeouts.silenceMs,
    socketTimeout: timeouts.silenceMs,
    // When the session ends, there is nothing to wait for.
    socketCloseTimeout: 0,
    logger: false,
    tls: {
      minVersion: "TLSv1.2",
      // RFC 6066: an address is never sent as a name. The certificate is still checked against it.
      servername: isIP(host) === 0 ? host : "",
      ...(authority === null ? {} : { ca: [...nodeTls.rootCertificates, authority] }),
    },
  };
}

function timeoutError(): SmtpError {
  return Object.assign(new Error("the mail server took too long"), { code: "ETIMEDOUT" });
}

/** Resolves when the socket is connected. */
async function connected(socket: Socket, timeoutMs: number): Promise<void> {
  // Errors after this step are reported by nodemailer, which has its own listener.
  socket.on("error", () => undefined);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(timeoutError()), timeoutMs);
  socket.once("connect", resolve);
  socket.once("error", reject);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    socket.removeListener("error", reject);
  }
}

/** Calls a function that reports its result to a callback. */
function called<T>(run: (done: (error: Error | null, value?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => (error === null ? resolve(value as T) : reject(error)));
  });
}

type FailureDetails = Pick<SmtpFailure, "outcome" | "step" | "message" | "cause" | "reply" | "rejected">;

/** Classifies an error of nodemailer or of the socket. Responses of the server are put on one line. */
function failureOf(error: SmtpError, current: SmtpStep): FailureDetails {
  const { code = "", command = "", response = "" } = error;
  const base = { outcome: "failed", cause: null, reply: oneLine(response), rejected: [] } as const;
  const message = response === "" ? messageOf(error) : withoutReply(messageOf(error), response);
  if (error.rejectedErrors !== undefined)
    return { ...base, step: "recipients", message, rejected: error.rejectedErrors.map(toRejected) };
  if (code === "ETIMEDOUT") return { ...base, step: current, message, cause: "timeout" };
  if (/^(ENOTFOUND|EAI_|DNS_|ENODATA)/.test(code)) return { ...base, step: "dns", message };
  if (code === "EMESSAGE" && response === "") return { ...base, step: "content", message, cause: "size" };
  const step = stepOf(code, command, current);
  if (response !== "" || step === "tls" || step === "connect") return { ...base, step, message };
  return { ...base, step, message, cause: code === "EPROTOCOL" ? "protocol" : "closed" };
}

function stepOf(code: string, command: string, current: SmtpStep): SmtpStep {
  if (code === "ETLS" || command === "STARTTLS") return "tls";
  if (code === "EAUTH") return "login";
  if (command === "MAIL FROM") return "sender";
  if (command === "RCPT TO") return "recipients";
  return current;
}

/** nodemailer appends the response of the server, which is shown separately. */
function withoutReply(message: string, reply: string): string {
  const end = message.indexOf(reply);
  return end > 0 ? message.slice(0, end).replace(/(?:\.? response=|: )$/, "") : message;
}

function toRejected({ recipient = "", response = "" }: SmtpError): RejectedAddress {
  return { address: recipient, reply: oneLine(response), temporary: response.startsWith("4") };
}

function oneLine(reply: string): string {
  return reply.replace(/\s+/g, " ").trim();
}
