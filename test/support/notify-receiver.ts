import { dlopen, FFIType, ptr } from "bun:ffi";
import { until } from "./until.ts";

/** A socket that receives the datagrams of a service, as a service manager does. */
export interface NotifyReceiver {
  /** Value of NOTIFY_SOCKET for the service. */
  name: string;
  /** Returns all datagrams that were received. */
  received(): string[];
  /** Waits for a datagram that fulfills the condition, and returns it. */
  next(condition: (text: string) => boolean, description: string): Promise<string>;
  close(): void;
}

const addressFamilyUnix = 1;
const typeDatagram = 2;
const doNotWait = 0x40;
const datagramBytesMax = 4_096;

/** @param name absolute path of a new file, or "@" and the name of an abstract socket */
export function openNotifyReceiver(name: string): NotifyReceiver {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    bind: { args: [FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  });
  const descriptor = symbols.socket(addressFamilyUnix, typeDatagram, 0);
  const path = name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`;
  const address = Buffer.concat([
    new Uint8Array(new Uint16Array([addressFamilyUnix]).buffer),
    Buffer.from(path),
  ]);
  if (symbols.bind(descriptor, ptr(address), address.length) !== 0) throw new Error(`cannot bind ${name}`);
  const buffer = Buffer.alloc(datagramBytesMax);
  const texts: string[] = [];

  function received(): string[] {
    for (;;) {
      const length = Number(symbols.recv(descriptor, ptr(buffer), buffer.length, doNotWait));
      if (length < 0) return texts;
      texts.push(buffer.toString("utf8", 0, length));
    }
  }

  return {
    name,
    received,
    async next(condition, description) {
      await until(() => received().some(condition), description);
      return texts.find(condition)!;
    },
    close: () => void symbols.close(descriptor),
  };
}
