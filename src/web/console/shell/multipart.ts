import { badRequest, PublicError } from "../../../platform/lib/errors.ts";

/** A form with a file (RFC 7578); the file is still unread. */
export interface Upload {
  /** Fields that precede the file. */
  fields: Map<string, string>;
  /** First file; undefined if the form has none or none was selected. */
  file: { name: string; content: ReadableStream<Uint8Array> } | undefined;
}

export interface UploadLimits {
  /** Maximum size of all fields together. */
  fieldBytesMax: number;
}

const partsMax = 20;
const headBytesMax = 8 * 1024;
const trailingPiecesMax = 100;
const lineBreak = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Reads the fields of a form up to its first file, and returns the file as a stream. `request.formData()` would
 * hold the whole file in memory. The stream fails if the client disconnects before the end.
 * @throws PublicError `bad_request` for another kind of form, or for fields over the limit
 */
export async function readUpload(request: Request, { fieldBytesMax }: UploadLimits): Promise<Upload> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (boundary === undefined || request.body === null) throw invalid("it is not a form with a file");
  const input = createInput(request.body);
  const fields = new Map<string, string>();
  // The first boundary has no line break before it.
  await input.until(Buffer.from(`--${boundary}`), headBytesMax);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let fieldBytesLeft = fieldBytesMax;
  for (let parts = 0; parts < partsMax; parts++) {
    const rest = await input.until(lineBreak, headBytesMax);
    if (rest.toString("latin1").startsWith("--")) return { fields, file: undefined };
    // The line break just consumed may belong to an empty head.
    input.putBack(lineBreak);
    const { name, fileName } = readHead((await input.until(headEnd, headBytesMax)).toString("utf8"));
    if (fileName !== undefined && fileName !== "")
      return { fields, file: { name: fileName, content: input.streamUntil(delimiter) } };
    const value = await input.until(delimiter, fieldBytesLeft);
    fieldBytesLeft -= value.length;
    if (fileName === undefined) fields.set(name, value.toString("utf8"));
  }
  throw invalid(`it has more than ${partsMax} fields`);
}

function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

function readHead(head: string): { name: string; fileName: string | undefined } {
  const line = head.split("\r\n").find((one) => /^content-disposition:/i.test(one)) ?? "";
  const parameter = (key: string) => {
    const value = new RegExp(`;\\s*${key}="([^"]*)"`, "i").exec(line)?.[1];
    // Browsers escape characters that could end the value (HTML Standard, multipart/form-data encoding algorithm).
    return value?.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
  };
  const name = parameter("name");
  if (name === undefined) throw invalid("one of its fields has no name");
  return { name, fileName: parameter("filename") };
}

function invalid(reason: string): PublicError {
  return badRequest(`The upload cannot be read: ${reason}.`);
}

/** Reads a body and searches it for byte sequences. */
function createInput(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  let held: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    // A client that disconnects is not an error of the server, so it is not logged.
    const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }));
    if (done) throw invalid("it is incomplete");
    held =
      held.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([held, value]);
  }

  /** Reads the rest of the request, which is short, because the response is sent only after all of it was read. */
  async function drain(): Promise<void> {
    try {
      for (let piece = 0; piece < trailingPiecesMax; piece++) if ((await reader.read()).done) return;
      await reader.cancel();
    } catch {
      // The client disconnected, but the file was complete.
    }
  }

  return {
    putBack: (bytes: Buffer) => void (held = Buffer.concat([bytes, held])),

    /** Returns the bytes before `mark` and consumes the mark as well. */
    async until(mark: Buffer, bytesMax: number): Promise<Buffer> {
      for (let from = 0; ;) {
        const at = held.indexOf(mark, from);
        if (at > bytesMax || (at === -1 && held.length > bytesMax + mark.length))
          throw invalid("one of its parts is too long");
        if (at !== -1) {
          const found = held.subarray(0, at);
          held = held.subarray(at + mark.length);
          return found;
        }
        from = Math.max(0, held.length - mark.length + 1);
        await more();
      }
    },

    /** Streams the bytes before `mark` on demand and ignores what follows it. */
    streamUntil: (mark: Buffer) =>
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            for (;;) {
              const at = held.indexOf(mark);
              // The last bytes may be the beginning of the mark.
              const safe = at === -1 ? held.length - mark.length + 1 : at;
              if (safe > 0) controller.enqueue(new Uint8Array(held.subarray(0, safe)));
              if (at !== -1) {
                controller.close();
                return void drain();
              }
              held = held.subarray(Math.max(0, safe));
              if (safe > 0) return;
              await more();
            }
          },
          cancel: async (reason) => reader.cancel(reason),
        },
        { highWaterMark: 0 },
      ),
  };
}
