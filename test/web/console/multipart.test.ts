import { expect, test } from "bun:test";
import { readUpload } from "../../../src/web/console/shell/multipart.ts";

const limits = { fieldBytesMax: 1_000 };
const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 1_000_000);

/** Builds a form as a browser writes it, in chunks of a given length. */
async function requestOf(form: FormData, pieceBytes: number): Promise<Request> {
  const { bytes, contentType } = await written(form);
  return requestIn(bytes, contentType, pieceBytes);
}

async function written(form: FormData) {
  const whole = new Response(form);
  // Bun no longer returns it after the body was read.
  const contentType = whole.headers.get("content-type")!;
  return { contentType, bytes: new Uint8Array(await whole.arrayBuffer()) };
}

function requestIn(bytes: Uint8Array, contentType: string, pieceBytes: number): Request {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += pieceBytes)));
      else controller.close();
    },
  });
  return new Request("http://localhost/", { method: "POST", body, headers: { "content-type": contentType } });
}

async function read(request: Request) {
  const { fields, file } = await readUpload(request, limits);
  const content = file && new Uint8Array(await new Response(file.content).arrayBuffer());
  return { fields: Object.fromEntries(fields), name: file?.name, content };
}

test(`a form is parsed correctly whatever the size of its chunks (TEST_SEED=${seed})`, async () => {
  let state = seed;
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 60; round++) {
    // Text that resembles a boundary, split at any point.
    const text = Array.from(
      { length: random(400) },
      () => ["\r\n", "--", "-", "a", "\r", "\n\n"][random(6)],
    ).join("");
    const form = new FormData();
    form.set("format", "csv");
    form.set("column", text.slice(0, 50));
    form.set("file", new File([text], 'a "b"\r\n.csv'));
    const { fields, name, content } = await read(await requestOf(form, 1 + random(90)));
    expect(fields["format"]).toBe("csv");
    // Browsers normalize every line break to CRLF.
    expect(fields["column"]!.replaceAll(/\r\n|\r/g, "\n")).toBe(
      text.slice(0, 50).replaceAll(/\r\n|\r/g, "\n"),
    );
    expect(name).toBe('a "b"\r\n.csv');
    expect(new TextDecoder().decode(content)).toBe(text);
  }
});

test("a form without a selected file has fields only", async () => {
  const form = new FormData();
  form.set("names", "a.com\nb.com");
  form.set("file", new File([], ""));
  expect(await read(await requestOf(form, 7))).toMatchObject({
    fields: { names: expect.stringMatching(/b\.com$/) },
    name: undefined,
  });
});

test("a truncated file fails its stream instead of passing as complete", async () => {
  const form = new FormData();
  form.set("file", new File(["example.com\n".repeat(100)], "a.txt"));
  const { bytes, contentType } = await written(form);
  const { file } = await readUpload(requestIn(bytes.subarray(0, -30), contentType, 64), limits);
  await expect(new Response(file!.content).text()).rejects.toThrow("it is incomplete");
});

const multipart = "multipart/form-data; boundary=b";
const field = 'Content-Disposition: form-data; name="a"\r\n\r\n';

test.each([
  ["another content type", "text/plain", "a", "it is not a form with a file"],
  ["no boundary", "multipart/form-data", "a", "it is not a form with a file"],
  ["no parts", multipart, "hello", "it is incomplete"],
  ["a part without a name", multipart, "--b\r\nX: y\r\n\r\nx\r\n--b--\r\n", "has no name"],
  ["a field without end", multipart, `--b\r\n${field}x`, "it is incomplete"],
  ["a long field", multipart, `--b\r\n${field}${"x".repeat(2_000)}\r\n--b--\r\n`, "is too long"],
  ["a long head", multipart, `--b\r\nX: ${"x".repeat(20_000)}`, "is too long"],
  ["many fields", multipart, `--b${`\r\n${field}x\r\n--b`.repeat(30)}--`, "more than 20 fields"],
])("an invalid form is rejected: %s", async (_, contentType, text, reason) => {
  const request = requestIn(new TextEncoder().encode(text), contentType, 50);
  await expect(readUpload(request, limits)).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining(reason),
  });
});

test("a client that disconnects before the file begins causes no server error", async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new DOMException("The connection was closed.", "AbortError")),
  });
  const headers = { "content-type": multipart };
  const request = new Request("http://localhost/", { method: "POST", body, headers });
  await expect(readUpload(request, limits)).rejects.toMatchObject({ code: "bad_request" });
});
