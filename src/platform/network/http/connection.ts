import { readSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";
import { messageOf } from "../../lib/errors.ts";
import { ExchangeError } from "../failure.ts";

/** Certificates for TLS, in PEM. */
export interface TlsFiles {
  /** Trusted in addition to the built-in authorities. */
  ca?: readonly string[];
  /** For mutual TLS; both or neither. */
  cert?: string;
  key?: string;
}

/** Certificate of the server. Its issuer controls the text, so never show it raw. */
export type PeerCertificate = NonNullable<ReturnType<typeof peerCertificate>>;

/** An open connection, used for one exchange at a time. */
export interface Connection {
  readonly address: string;
  readonly connectMs: number;
  /** Duration of the TLS handshake; undefined without TLS. */
  readonly tlsMs: number | undefined;
  /** Undefined without TLS. */
  readonly certificate: PeerCertificate | undefined;
  readonly open: boolean;
  write(bytes: Uint8Array): void;
  /** Sets the receiver of incoming data; undefined while no response is expected. */
  listen(listener: ConnectionListener | undefined): void;
  /** Reads nothing more until `resume`, so that the server has to wait. */
  pause(): void;
  resume(): void;
  /**
   * Returns whether the connection is open and nothing that the server sent is unread, between two exchanges. If it
   * returns false, the connection can only be closed.
   */
  isSilent(): boolean;
  /** Closes at once, even during an exchange. */
  destroy(): void;
}

export interface ConnectionRequest {
  address: string;
  port: number;
  serverName: string;
  tlsFiles: TlsFiles | undefined;
  anyCertificate?: boolean;
  signal: AbortSignal;
}

export interface ConnectionListener {
  onData(bytes: Uint8Array): void;
  onClose(error: Error | undefined): void;
}

/**
 * Connects to exactly this address. With TLS, `serverName` is sent (unless it is an address) and the certificate must
 * be valid for it, unless any certificate is accepted because only its content matters and nothing confidential is
 * sent.
 *
 * `fetch` is not used: it separates address and name only through a Host header, reports no phases, and limits itself
 * to 256 requests in total, so that 32 hanging receivers with 8 requests each would delay all others.
 * @throws ExchangeError of kind connect, tls or aborted.
 */
export function connect(request: ConnectionRequest): Promise<Connection> {
  const { address, port, serverName, tlsFiles, anyCertificate = false, signal } = request;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let connectedAt: number | undefined;
    let socket: net.Socket;
    try {
      socket = tlsFiles === undefined ? net.connect({ host: address, port }) : secure(tlsFiles);
    } catch (error) {
      // Malformed certificates.
      return reject(new ExchangeError("tls", messageOf(error)));
    }
    let listener: ConnectionListener | undefined;
    let failure: Error | undefined;
    let open = false;

    function secure(files: TlsFiles): tls.TLSSocket {
      return tls.connect({
        host: address,
        port,
        // RFC 6066: an address is never sent as a name. The certificate is still checked against it.
        servername: net.isIP(serverName) === 0 ? serverName : "",
        checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(serverName, certificate),
        rejectUnauthorized: !anyCertificate,
        ALPNProtocols: ["http/1.1"],
        ca: files.ca && [...tls.rootCertificates, ...files.ca],
        cert: files.cert,
        key: files.key,
      });
    }

    const giveUp = () => {
      socket.destroy();
      reject(new ExchangeError("aborted", "given up"));
    };
    const onReady = () => {
      signal.removeEventListener("abort", giveUp);
      const now = performance.now();
      open = true;
      resolve({
        address,
        connectMs: (connectedAt ?? now) - startedAt,
        tlsMs: connectedAt === undefined ? undefined : now - connectedAt,
        certificate: socket instanceof tls.TLSSocket ? peerCertificate(socket) : undefined,
        get open() {
          return open;
        },
        write: (bytes) => void socket.write(bytes),
        listen: (next) => (listener = next),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        isSilent: () => open && !socket.destroyed && !hasUnread(socket),
        destroy: () => socket.destroy(),
      });
    };
    if (tlsFiles === undefined) socket.once("connect", onReady);
    else {
      socket.once("connect", () => (connectedAt = performance.now()));
      socket.once("secureConnect", onReady);
    }
    socket.setNoDelay(true);
    socket.on("data", (bytes: Uint8Array) => {
      // Unsolicited data: the connection cannot be used anymore.
      if (listener === undefined) socket.destroy();
      else listener.onData(bytes);
    });
    socket.on("error", (error) => (failure = error));
    socket.on("end", () => socket.destroy());
    socket.once("close", () => {
      signal.removeEventListener("abort", giveUp);
      if (open) listener?.onClose(failure);
      else reject(explain(failure, connectedAt !== undefined));
      open = false;
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

const readByte = new Uint8Array(1);

/**
 * Returns whether bytes, or the end, have arrived that the event loop has not read yet, by reading a byte.
 * Without a file descriptor, as on Windows, this cannot be known, and it returns false.
 */
function hasUnread(socket: net.Socket): boolean {
  const { _handle: handle } = socket as { _handle?: { fd?: number } | null };
  if (handle?.fd === undefined) return false;
  try {
    readSync(handle.fd, readByte);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EAGAIN";
  }
}

function peerCertificate(socket: tls.TLSSocket) {
  const certificate = socket.getPeerCertificate();
  // An empty object means no certificate.
  if (certificate?.valid_from === undefined) return undefined;
  const { O: organization, CN: commonName } = certificate.issuer ?? {};
  const fault: unknown = socket.authorizationError;
  return {
    issuer: [organization, commonName].flat().filter(Boolean).join(", "),
    notBefore: certificate.valid_from,
    notAfter: certificate.valid_to,
    /** Reason why it is not trusted; undefined for a valid certificate. */
    fault: socket.authorized ? undefined : fault instanceof Error ? fault.message : String(fault),
    /** Hexadecimal. */
    serial: certificate.serialNumber ?? "",
    /** SHA-256 of the certificate: hexadecimal with colons. */
    fingerprint: certificate.fingerprint256 ?? "",
    /** Subject alternative names, as OpenSSL prints them: `DNS:example.com, DNS:www.example.com`. */
    names: certificate.subjectaltname ?? "",
  };
}

function explain(error: Error | undefined, connected: boolean): ExchangeError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const reason = error === undefined ? "closed" : error.message;
  if (connected) return new ExchangeError("tls", code === undefined ? reason : `${reason} (${code})`);
  return new ExchangeError("connect", code ?? reason);
}
