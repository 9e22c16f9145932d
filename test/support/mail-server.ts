import net from "node:net";
import { SMTPServer } from "smtp-server";
import type { SmtpConfig } from "../../src/platform/config/sections/notifications.ts";
import { createAuthority, issue } from "./certificates.ts";

/** An email as the server accepted it. */
export interface AcceptedMail {
  from: string;
  to: string[];
  /** Headers and body, byte for byte. */
  raw: string;
  encrypted: boolean;
  user: string | undefined;
}

/** A response that is not a success, such as `{ code: 451, text: "4.7.1 greylisted" }`. */
export interface MailRejection {
  code: number;
  text: string;
}

interface MailServerRules {
  tls?: SmtpConfig["tls"];
  /** Names in the certificate. Default: the address of the server. */
  names?: string[];
  /** Accepted by AUTH, which is then required. */
  login?: { username: string; password: string };
  /** Called with the number of times that this recipient was named, from 1. */
  rejectRecipient?(address: string, count: number): MailRejection | undefined;
  rejectSender?(address: string): MailRejection | undefined;
  /** Called with the number of messages so far, from 1, after the message was received. */
  rejectContent?(count: number): MailRejection | undefined;
}

const authority = createAuthority("Mail authority");

/** PEM certificate of the authority that signs the certificates of the mail servers. */
export const mailAuthority = authority.cert;

/** Starts a real mail server on loopback. */
export async function startMailServer(rules: MailServerRules = {}) {
  const { tls = "starttls", names = ["127.0.0.1"], login } = rules;
  const mails: AcceptedMail[] = [];
  const named = new Map<string, number>();
  let messages = 0;
  const server = new SMTPServer({
    ...issue(authority, names),
    secure: tls === "tls",
    disabledCommands: [...(tls === "none" ? ["STARTTLS"] : []), ...(login === undefined ? ["AUTH"] : [])],
    authOptional: login === undefined,
    allowInsecureAuth: tls === "none",
    disableReverseLookup: true,
    closeTimeout: 1,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === login?.username && password === login?.password) return done(null, { user: username });
      done(rejection({ code: 535, text: "5.7.8 authentication failed" }));
    },
    onMailFrom: ({ address }, _session, done) => done(rejection(rules.rejectSender?.(address))),
    onRcptTo({ address }, _session, done) {
      const count = (named.get(address) ?? 0) + 1;
      named.set(address, count);
      done(rejection(rules.rejectRecipient?.(address, count)));
    },
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        messages += 1;
        const rejected = rejection(rules.rejectContent?.(messages));
        if (rejected !== null) return done(rejected);
        mails.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          encrypted: secure,
          user: user as string | undefined,
        });
        done(null);
      });
    },
  });
  // Clients that do not trust the certificate.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as net.AddressInfo;
  return {
    mails,
    /** How often a recipient was named. */
    named: (address: string) => named.get(address) ?? 0,
    settings: settingsFor(port, { tls, ...login }),
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/**
 * Starts a mail server that behaves badly: it sends each of the lines, the first one at once and the others as responses
 * to commands, then runs `then`.
 */
export async function startBadMailServer(lines: readonly string[], then: (socket: net.Socket) => void) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let next = 0;
    const respond = () => {
      const line = lines[next++];
      if (line === undefined) then(socket);
      else socket.write(`${line}\r\n`);
    };
    respond();
    socket.on("data", respond);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    settings: settingsFor(port, { tls: "none" }),
    connections: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function settingsFor(port: number, given: Partial<SmtpConfig>): SmtpConfig {
  return {
    host: "127.0.0.1",
    port,
    tls: "starttls",
    username: null,
    password: null,
    from: "phishwatch@example.com",
    caFile: null,
    ...given,
  };
}

function rejection(given: MailRejection | undefined): (Error & { responseCode: number }) | null {
  return given === undefined ? null : Object.assign(new Error(given.text), { responseCode: given.code });
}
