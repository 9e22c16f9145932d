/** Replaces the response to `path`; `proper` returns the true one. */
export type LogFault = (proper: () => Response, path: string) => Response | Promise<Response>;

const pieceBytes = 64 * 1024;

/** Faults of logs and of the network in front of them. */
export const logFaults = {
  /** @param retryAfter seconds or a date; undefined: no Retry-After */
  status:
    (status: number, retryAfter?: string): LogFault =>
    () =>
      new Response("fault", {
        status,
        headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
      }),
  redirect:
    (url: string): LogFault =>
    () =>
      Response.redirect(url, 302),
  html: (): LogFault => () =>
    new Response("<!doctype html><title>Welcome</title><p>Sign in to the network.", {
      headers: { "content-type": "text/html" },
    }),
  body:
    (text: string): LogFault =>
    () =>
      new Response(text),
  /** Cuts the compressed bytes of the body. */
  cutGzip: (): LogFault => async (proper) => {
    const response = proper();
    const bytes = await response.bytes();
    const gzip = response.headers.get("content-encoding") === "gzip" ? bytes : Bun.gzipSync(bytes);
    return new Response(gzip.subarray(0, Math.floor(gzip.length / 2)), {
      headers: { "content-encoding": "gzip" },
    });
  },
  /** A small body that decompresses to much. */
  gzipBomb:
    (bytes: number): LogFault =>
    () =>
      new Response(Bun.gzipSync(new Uint8Array(bytes)), { headers: { "content-encoding": "gzip" } }),
  /** Changes the body after its content coding was removed. */
  changed:
    (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): LogFault =>
    async (proper) => {
      const response = proper();
      const bytes = await response.bytes();
      const isGzip = response.headers.get("content-encoding") === "gzip";
      return new Response(change(isGzip ? Bun.gunzipSync(bytes) : bytes), { status: response.status });
    },
  /** Gives the first entry a type that no protocol defines. */
  unknownEntryType: (): LogFault => logFaults.changed(withUnknownType),
  /** A response of any size, generated as it is read. */
  long:
    (bytes: number): LogFault =>
    () => {
      let sent = 0;
      const piece = new Uint8Array(pieceBytes).fill(32);
      return new Response(
        new ReadableStream({
          pull(controller) {
            if (sent >= bytes) return controller.close();
            sent += piece.length;
            controller.enqueue(piece);
          },
        }),
      );
    },
  /** Sends one byte and then nothing, without an end. */
  stuck: (): LogFault => () =>
    new Response(new ReadableStream({ pull: (controller) => endlessWait(controller) })),
  /** Closes the connection within the body. */
  broken: (): LogFault => () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        // Bun would print a reason.
        pull: (controller) => controller.error(undefined),
      }),
    ),
};

/** Position of the entry type: after the timestamp, and in a leaf after version and leaf type too. */
const typeAtInTile = 8;
const typeAtInLeaf = 10;
const unknownType = 0x7f;
/** Base64 of the first twelve bytes of a leaf. */
const leafStart = /"leaf_input":"([\w+/]{16})/;

function withUnknownType(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes[0] === 0) return bytes.fill(unknownType, typeAtInTile, typeAtInTile + 1);
  const text = new TextDecoder().decode(bytes);
  const changed = text.replace(leafStart, (_, base64: string) => {
    const leaf = Buffer.from(base64, "base64").fill(unknownType, typeAtInLeaf, typeAtInLeaf + 1);
    return `"leaf_input":"${leaf.toString("base64")}`;
  });
  return new TextEncoder().encode(changed);
}

function endlessWait(controller: ReadableStreamDefaultController): Promise<void> {
  controller.enqueue(new Uint8Array(1));
  return new Promise(() => {});
}
