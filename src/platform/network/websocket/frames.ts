/** Frames of the WebSocket protocol (RFC 6455, section 5), as a client sends and receives them. */
import { createByteBuffer } from "../byte-buffer.ts";

export type FrameEvent =
  /** Valid until the next call of the reader. */
  | { kind: "message"; bytes: Uint8Array }
  | { kind: "ping"; bytes: Uint8Array }
  | { kind: "pong" }
  | { kind: "close"; code: number; reason: string };

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
/** Code of a close frame without one (section 7.1.5). */
const noCode = 1_005;
const controlBytesMax = 125;
/** Number of frames of one message: some servers send one for each buffer of theirs. */
const fragmentsMax = 10_000;
const headBytesMax = 10;
const reasonCharactersMax = 100;

interface Frame {
  opcode: number;
  isLast: boolean;
  /** Number of bytes that are still to come. */
  left: number;
}

/** Reads the frames of a server, which may be hostile: nothing grows beyond the limits, in time linear in the bytes. */
export function createFrameReader({ messageBytesMax }: { messageBytesMax: number }) {
  const head = createByteBuffer(headBytesMax);
  const message = createByteBuffer(messageBytesMax);
  const control = createByteBuffer(controlBytesMax);
  let frame: Frame | undefined;
  /** Number of frames of the message so far; 0: none has begun. */
  let fragments = 0;

  /** Reads the head of a frame. Returns undefined while it is incomplete. */
  function open(): Frame | string | undefined {
    const bytes = head.bytes();
    if (bytes.length < 2) return undefined;
    const [first, second] = [bytes[0]!, bytes[1]!];
    if ((first & 0x70) !== 0) return "a frame with an extension that was not requested";
    if ((second & 0x80) !== 0) return "a masked frame";
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    if (bytes.length < 2 + lengthBytes) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const left =
      lengthBytes === 8 ? Number(view.getBigUint64(2)) : lengthBytes === 2 ? view.getUint16(2) : short;
    const opened = { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, left };
    return admit(opened) ?? opened;
  }

  /** Returns why a frame is not permitted here. */
  function admit({ opcode, isLast, left }: Frame): string | undefined {
    if (opcode === opcodes.close || opcode === opcodes.ping || opcode === opcodes.pong)
      return isLast && left <= controlBytesMax ? undefined : "an invalid control frame";
    if (opcode > opcodes.binary) return "a frame of an unknown kind";
    if ((opcode === opcodes.continuation) !== fragments > 0) return "the parts of a message out of order";
    if (message.length + left > messageBytesMax) return `a message over ${messageBytesMax} bytes`;
    fragments++;
    return fragments > fragmentsMax ? `a message in more than ${fragmentsMax} parts` : undefined;
  }

  function finish({ opcode, isLast }: Frame, onEvent: (event: FrameEvent) => void): void {
    if (opcode === opcodes.ping) onEvent({ kind: "ping", bytes: control.bytes() });
    else if (opcode === opcodes.pong) onEvent({ kind: "pong" });
    else if (opcode === opcodes.close) onEvent(closeEvent(control.bytes()));
    else if (isLast) {
      onEvent({ kind: "message", bytes: message.bytes() });
      message.clear();
      fragments = 0;
    }
    control.clear();
  }

  return {
    /** Calls `onEvent` for each message and control frame. Returns what is wrong with the frames, as a phrase. */
    push(bytes: Uint8Array, onEvent: (event: FrameEvent) => void) {
      for (let at = 0; at < bytes.length;) {
        if (frame === undefined) {
          head.add(bytes, at, ++at);
          const opened = open();
          if (opened === undefined) continue;
          if (typeof opened === "string") return opened;
          head.clear();
          frame = opened;
        }
        const end = Math.min(bytes.length, at + frame.left);
        (frame.opcode > opcodes.binary ? control : message).add(bytes, at, end);
        frame.left -= end - at;
        at = end;
        if (frame.left > 0) continue;
        const finished = frame;
        frame = undefined;
        finish(finished, onEvent);
      }
      return undefined;
    },
  };
}

function closeEvent(bytes: Uint8Array): FrameEvent {
  if (bytes.length < 2) return { kind: "close", code: noCode, reason: "" };
  const reason = new TextDecoder().decode(bytes.subarray(2)).slice(0, reasonCharactersMax);
  return { kind: "close", code: bytes[0]! * 256 + bytes[1]!, reason };
}

/**
 * Returns a control frame of a client, which is masked (section 5.3).
 * @param payload at most 125 bytes. @param mask 4 random bytes
 */
export function controlFrame(
  kind: "close" | "ping" | "pong",
  payload: Uint8Array,
  mask: Uint8Array,
): Uint8Array {
  const frame = new Uint8Array(6 + payload.length);
  frame[0] = 0x80 | opcodes[kind];
  frame[1] = 0x80 | payload.length;
  frame.set(mask, 2);
  for (let i = 0; i < payload.length; i++) frame[6 + i] = payload[i]! ^ mask[i % 4]!;
  return frame;
}
