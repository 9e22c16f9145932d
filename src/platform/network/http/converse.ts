import { ExchangeError } from "../failure.ts";
import type { Turns } from "../turns.ts";
import type { Cancellation } from "./cancellation.ts";
import type { Connection, PeerCertificate } from "./connection.ts";
import {
  createResponseReader,
  type HttpResponse,
  type Progress,
  type ReadRequest,
  type StreamSink,
} from "./http-response.ts";

/** Durations of the phases of an exchange in milliseconds; absent for a phase that did not take place. */
export interface Phases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  /** From the end of the request to the first byte of the response. */
  waitMs?: number;
  /** From the first byte of the response to the last one that was read. */
  readMs?: number;
}

export type PartialResponse = Pick<HttpResponse, "status" | "headers" | "body">;

/** Observations of an exchange, which are valid even if it fails. */
export interface Trace {
  phases: Phases;
  address: string | undefined;
  partial: PartialResponse | undefined;
  certificate: PeerCertificate | undefined;
}

interface Conversation extends ReadRequest {
  connection: Connection;
  bytes: Uint8Array;
  cancellation: Cancellation;
  trace: Trace;
  turns: Turns;
  keep: (connection: Connection) => void;
}

/** Part of a response that is parsed at once: at most 2 ms of work, whatever it contains. */
const pieceBytes = 32_768;

/** Sends one request over an open connection and reads its response. */
export function converse(conversation: Conversation): Promise<HttpResponse> {
  const { connection, bytes, receive, cancellation, trace, turns, keep } = conversation;
  return new Promise((resolve, reject) => {
    let sink: StreamSink | undefined;
    const noted: ReadRequest["receive"] = receive && ((start) => (sink = receive(start)));
    const reader = createResponseReader({ ...conversation, receive: noted });
    const sentAt = performance.now();
    let firstByteAt: number | undefined;
    let isFinished = false;
    /** Number of pieces that were received and not parsed yet. */
    let pieces = 0;
    const finish = (outcome: HttpResponse | ExchangeError) => {
      isFinished = true;
      cancellation.listener = undefined;
      connection.listen(undefined);
      if (firstByteAt !== undefined) trace.phases.readMs = performance.now() - firstByteAt;
      if (outcome instanceof ExchangeError) {
        trace.partial = reader.partial();
        connection.destroy();
        return reject(outcome);
      }
      // Pieces after the response would be read as the next one.
      if (outcome.reusable && pieces === 0 && connection.open) {
        // It may be paused since the last piece, and the next response has to arrive.
        connection.resume();
        keep(connection);
      } else connection.destroy();
      resolve(outcome);
    };
    const take = (progress: Progress, kind: "protocol" | "connect") => {
      if (progress.kind === "done") finish(progress.response);
      else if (progress.kind === "malformed") finish(new ExchangeError(kind, progress.reason));
    };
    const onAbort = () => finish(new ExchangeError("aborted", "given up"));
    cancellation.listener = onAbort;
    if (cancellation.isCancelled) return onAbort();
    const parse = (piece: Uint8Array) =>
      turns.run(() => {
        pieces -= 1;
        if (isFinished) return;
        take(reader.push(piece), "protocol");
        if (pieces === 0 && !isFinished) resumeWithRoom();
      });
    // By the time that the sink has room, or fails, the connection may serve another request.
    const resumeWithRoom = () =>
      awaitRoom(sink, connection, {
        onRoom: () => !isFinished && pieces === 0 && connection.resume(),
        onFailure: () => !isFinished && onAbort(),
      });
    connection.listen({
      onData(chunk) {
        if (firstByteAt === undefined) {
          firstByteAt = performance.now();
          trace.phases.waitMs = firstByteAt - sentAt;
        }
        const received = piecesOf(chunk);
        pieces += received.length;
        received.forEach(parse);
        if (pieces > 0 && !isFinished) connection.pause();
      },
      onClose(error) {
        // Behind the pieces that were received before.
        turns.run(() => {
          if (isFinished) return;
          // A reset never ends a response properly, even where closing would.
          if (error === undefined) take(reader.close(), "connect");
          else finish(new ExchangeError("connect", `connection broken (${codeOf(error)})`));
        });
      },
    });
    if (connection.open) connection.write(bytes);
    else take(reader.close(), "connect");
  });
}

/** Divides received bytes into pieces that are parsed at once. */
function piecesOf(chunk: Uint8Array): Uint8Array[] {
  if (chunk.length <= pieceBytes) return [chunk];
  return Array.from({ length: Math.ceil(chunk.length / pieceBytes) }, (_, index) =>
    chunk.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
}

/** Lets the server wait until the sink has room. */
function awaitRoom(
  sink: StreamSink | undefined,
  connection: Connection,
  { onRoom, onFailure }: { onRoom: () => void; onFailure: () => void },
): void {
  const room = sink?.room();
  if (room === undefined) return connection.resume();
  connection.pause();
  room.then(onRoom, onFailure);
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
