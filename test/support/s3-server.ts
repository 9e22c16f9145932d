import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Fault of one request. `truncate` closes the connection in the body of the response, `reset` before it, `hang` sends
 * nothing; a number is the status of a response without a body, and a text is an error of S3 with this code.
 */
export type S3Fault = "truncate" | "reset" | "hang" | number | (string & {});

export interface S3Server {
  /** Address with a slash at its end. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  objects: Map<string, Buffer>;
  /** Method and path of each request that was accepted or rejected. */
  requests: string[];
  /** Faults of the next requests, in order. */
  faults: S3Fault[];
  /** Bytes that were received in bodies. */
  receivedBytes: number;
  stop(): void;
}

const skewMsMax = 15 * 60_000;
const statuses: Record<string, number> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  RequestTimeTooSkewed: 403,
  AuthorizationHeaderMalformed: 400,
  XAmzContentSHA256Mismatch: 400,
  InvalidArgument: 400,
  RequestTimeout: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  SlowDown: 503,
  QuotaExceeded: 403,
};

/**
 * Starts an S3-compatible server in memory, on loopback. It verifies signatures (SigV4), the hash of each body, the time
 * and the region, as S3 does, with an implementation of its own. Lists have pages of `pageObjects`.
 */
export async function startS3Server({ pageObjects = 3 } = {}): Promise<S3Server> {
  const state: Omit<S3Server, "endpoint" | "stop"> = {
    bucket: "backup-bucket",
    region: "eu-test-1",
    accessKey: "AKIDEXAMPLE",
    secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    objects: new Map(),
    requests: [],
    faults: [],
    receivedBytes: 0,
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      state.receivedBytes += body.length;
      state.requests.push(`${request.method} ${request.url}`);
      respond(state, pageObjects, request, body, response);
    });
    request.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${port}/`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  });
}

function respond(
  state: Omit<S3Server, "endpoint" | "stop">,
  pageObjects: number,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const sendError = (code: string) => {
    const status = statuses[code] ?? 500;
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>About ${code}</Message></Error>`);
  };
  const fault = state.faults.shift();
  if (fault === "hang") return;
  if (fault === "reset") return void request.socket.destroy();
  if (typeof fault === "number") return void response.writeHead(fault).end();
  if (fault !== undefined && fault !== "truncate") return sendError(fault);
  const rejected = rejection(state, request, body);
  if (rejected !== undefined) return sendError(rejected);

  const url = new URL(request.url!, "http://unused");
  const [, bucket, ...parts] = decodeURIComponent(url.pathname).split("/");
  if (bucket !== state.bucket) return sendError("NoSuchBucket");
  const key = parts.join("/");
  const send = (status: number, content: Buffer | string) => {
    const bytes = Buffer.from(content);
    response.writeHead(status, { "content-length": bytes.length });
    if (fault !== "truncate") return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1), () => request.socket.destroy());
  };
  if (key === "" && url.searchParams.get("list-type") === "2")
    return send(200, list(state.objects, url.searchParams, pageObjects));
  if (key === "") return sendError("InvalidArgument");
  if (request.method === "PUT") {
    state.objects.set(key, body);
    return send(200, "");
  }
  if (request.method === "DELETE") {
    state.objects.delete(key);
    return send(204, "");
  }
  const object = state.objects.get(key);
  return object === undefined ? sendError("NoSuchKey") : send(200, object);
}

/** Returns the code of S3's error for a request that is not signed as it must be. */
function rejection(
  { region, accessKey, secretKey }: Omit<S3Server, "endpoint" | "stop">,
  request: IncomingMessage,
  body: Buffer,
): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const match = form.exec(request.headers.authorization ?? "");
  if (match === null) return "AccessDenied";
  const [, key = "", day = "", signedRegion = "", names = "", signature = ""] = match;
  if (key !== accessKey) return "InvalidAccessKeyId";
  if (signedRegion !== region) return "AuthorizationHeaderMalformed";
  const time = String(request.headers["x-amz-date"]);
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  if (!time.startsWith(day) || !(Math.abs(Date.now() - Date.parse(iso)) < skewMsMax))
    return "RequestTimeTooSkewed";
  const required = ["host", "x-amz-content-sha256", "x-amz-date"];
  if (!required.every((name) => names.split(";").includes(name))) return "AccessDenied";
  const declared = String(request.headers["x-amz-content-sha256"]);
  const query = new URL(request.url!, "http://unused").search.slice(1).split("&").sort().join("&");
  const canonical = [
    request.method,
    request.url!.split("?")[0],
    query,
    ...names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    declared,
  ].join("\n");
  const sign = (secret: string | Buffer, text: string) => createHmac("sha256", secret).update(text).digest();
  const secret = sign(sign(sign(sign(`AWS4${secretKey}`, day), region), "s3"), "aws4_request");
  const hashed = createHash("sha256").update(canonical).digest("hex");
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${hashed}`;
  if (!timingSafeEqual(sign(secret, text), Buffer.from(signature, "hex"))) return "SignatureDoesNotMatch";
  const actual = createHash("sha256").update(body).digest("hex");
  return declared === "UNSIGNED-PAYLOAD" || declared === actual ? undefined : "XAmzContentSHA256Mismatch";
}

function list(objects: Map<string, Buffer>, parameters: URLSearchParams, pageObjects: number): string {
  const prefix = parameters.get("prefix") ?? "";
  const token = parameters.get("continuation-token");
  const after = token === null ? "" : Buffer.from(token, "base64").toString();
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, pageObjects);
  const isTruncated = keys.length > page.length;
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const contents = page.map(
    (key) => `<Contents><Key>${escape(key)}</Key><Size>${objects.get(key)!.length}</Size></Contents>`,
  );
  const next = Buffer.from(page.at(-1) ?? "").toString("base64");
  const more = isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : "";
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${more}<KeyCount>${page.length}</KeyCount>${contents.join("")}</ListBucketResult>`;
}
