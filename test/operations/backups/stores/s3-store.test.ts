import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "../../../../src/operations/backups/stores/open-store.ts";
import { createS3Store, type S3Location } from "../../../../src/operations/backups/stores/s3-store.ts";
import { signRequest } from "../../../../src/operations/backups/stores/s3-protocol.ts";
import { systemClock, type Clock } from "../../../../src/platform/lib/clock.ts";
import { createHttpClient, type HttpRequest } from "../../../../src/platform/network/http/http-client.ts";
import { compareWithNaive, listed } from "../../../support/memory-store.ts";
import { randomFrom, seed } from "../../../support/random.ts";
import { startS3Server, type S3Server } from "../../../support/s3-server.ts";

let server: S3Server;
beforeAll(async () => void (server = await startS3Server()));
afterAll(() => server.stop());
afterEach(() => {
  server.objects.clear();
  server.faults.length = 0;
  server.requests.length = 0;
});

/** Waits for nothing and counts the waits. */
function hastyClock(): { clock: Pick<Clock, "now" | "after">; waitsMs: number[] } {
  const waitsMs: number[] = [];
  return {
    waitsMs,
    clock: {
      now: systemClock.now,
      after(delayMs, callback) {
        waitsMs.push(delayMs);
        return systemClock.after(0, callback);
      },
    },
  };
}

function open(changes: Partial<S3Location & S3Location["credentials"]> = {}, { timeoutMs = 5_000 } = {}) {
  const { region, accessKey, secretKey, bucket, endpoint } = { ...server, ...changes };
  const { clock, waitsMs } = hastyClock();
  const http = createHttpClient({
    rules: { allowPrivateNetworks: true },
    resolveHost: async () => ["127.0.0.1"],
  });
  // The time limit of real requests would be the duration of the tests.
  const client = { send: (request: HttpRequest) => http.send({ ...request, timeoutMs }) };
  const abort = new AbortController();
  const location = {
    bucket,
    prefix: "",
    endpoint,
    ...changes,
    credentials: { region, accessKey, secretKey },
  };
  return { store: createS3Store({ location, client, clock, signal: abort.signal }), waitsMs, abort };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

async function failureOf(run: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return run.then(
    () => ({ message: "no error" }),
    (error: { code?: string; message: string }) => error,
  );
}

describe("the signature", () => {
  test("is that of Amazon's published example for a list of objects, except for the parameters of the list", () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "GET Bucket (List Objects)"
    const headers = signRequest({
      method: "GET",
      url: new URL("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"),
      body: new Uint8Array(),
      at: Date.parse("2013-05-24T00:00:00Z"),
      credentials: {
        region: "us-east-1",
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      },
    });
    expect(headers.authorization).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
    expect(headers["x-amz-content-sha256"]).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
  });
});

describe("the S3 store", () => {
  test("returns what the naive store returns, for random operations and lists of several pages", async () => {
    console.log(`seed ${seed}`);
    const random = randomFrom(seed);
    const { store } = open({ prefix: "office/main" });
    await compareWithNaive({ store, random, seed });
    expect([...server.objects.keys()].every((key) => key.startsWith("office/main/"))).toBe(true);
    expect(server.requests.some((request) => request.includes("continuation-token="))).toBe(true);
  });

  test("exchanges objects with Bun's own client, in both directions", async () => {
    const { store } = open({ prefix: "p" });
    const { endpoint, bucket, region, accessKey: accessKeyId, secretKey: secretAccessKey } = server;
    const other = new Bun.S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey });
    await other.write("p/theirs", "from Bun");
    expect(textOf(await store.get("theirs"))).toBe("from Bun");
    await store.put("ours", bytesOf("from us"));
    expect(await other.file("p/ours").text()).toBe("from us");
    expect(await listed(store)).toEqual(["ours 7", "theirs 8"]);
  });

  test("transfers the largest chunks", async () => {
    const { store } = open();
    const bytes = new Uint8Array(4 * 1024 * 1024 + 29);
    for (let start = 0; start < bytes.length; start += 65_536)
      crypto.getRandomValues(bytes.subarray(start, start + 65_536));
    await store.put("chunks/aa/large", bytes);
    expect(Buffer.from((await store.get("chunks/aa/large"))!).equals(Buffer.from(bytes))).toBe(true);
  });

  test("repeats what may succeed later, with growing delays, and the result is whole", async () => {
    const { store, waitsMs } = open();
    // The client repeats a request whose kept connection was closed at once, without a delay.
    server.faults.push(500, "SlowDown", "reset", "reset", 429);
    await store.put("a", bytesOf("content"));
    expect(waitsMs).toEqual([500, 1_000, 2_000, 4_000]);
    server.faults.push("truncate", "InternalError", "RequestTimeout");
    expect(textOf(await store.get("a"))).toBe("content");
    server.faults.push("truncate", 503);
    expect(await listed(store)).toEqual(["a 7"]);
    server.faults.push(502);
    await store.delete("a");
    expect(server.objects.size).toBe(0);
  });

  test("gives up after five attempts, also with a server that never responds", async () => {
    const { store, waitsMs } = open({}, { timeoutMs: 100 });
    server.faults.push("hang", "hang", "hang", "hang", "hang");
    const failure = await failureOf(store.get("a"));
    expect(failure).toMatchObject({ code: "unreachable" });
    expect(failure.message).toContain("s3://backup-bucket");
    expect(waitsMs).toHaveLength(4);
    expect(server.requests).toHaveLength(5);
    server.faults.push(500, 500, 500, 500, 500);
    expect(await failureOf(store.get("a"))).toMatchObject({ code: "unreachable" });
  });

  test("ends when it is aborted, without waiting for the server", async () => {
    const { store, abort } = open();
    server.faults.push("hang");
    const failure = failureOf(store.get("a"));
    abort.abort();
    expect(await failure).toMatchObject({ code: "unreachable" });
  });

  test("does not repeat what will fail again, and says what to change", async () => {
    const cases: [changes: Parameters<typeof open>[0], code: string, advice: RegExp][] = [
      [{ accessKey: "OTHER" }, "no_permission", /s3_access_key/],
      [{ secretKey: "other" }, "no_permission", /s3_secret_key/],
      [{ region: "eu-other-1" }, "no_permission", /s3_region/],
      [{ bucket: "other-bucket" }, "not_found", /the bucket does not exist/],
    ];
    for (const [changes, code, advice] of cases) {
      const { store, waitsMs } = open(changes);
      for (const run of [() => store.get("a"), () => store.put("a", bytesOf("x")), () => listed(store)]) {
        const failure = await failureOf(run());
        expect(failure).toMatchObject({ code });
        expect(failure.message).toMatch(advice);
        expect(failure.message).not.toContain(server.secretKey);
      }
      expect(waitsMs).toEqual([]);
    }
    const { store } = open();
    server.faults.push("QuotaExceeded", 507, "RequestTimeTooSkewed", "AccessDenied", 301, 404);
    expect(await failureOf(store.put("a", bytesOf("x")))).toMatchObject({ code: "no_space" });
    expect(await failureOf(store.put("a", bytesOf("x")))).toMatchObject({ code: "no_space" });
    expect((await failureOf(store.get("a"))).message).toContain(
      "the clocks of this machine and of the server",
    );
    expect((await failureOf(store.get("a"))).message).toContain("give the access key permission");
    expect((await failureOf(store.get("a"))).message).toContain("backup.s3_endpoint");
    // A page of another server is not an empty repository.
    expect(await failureOf(store.get("a"))).toMatchObject({ code: "unexpected" });
  });

  test("rejects lists that are not in order, never end, or are none", async () => {
    const pages: string[] = [];
    const list = (content: string) => `<ListBucketResult>${content}</ListBucketResult>`;
    const { secretKey, accessKey, region } = server;
    const store = createS3Store({
      location: {
        bucket: "b",
        prefix: "",
        endpoint: server.endpoint,
        credentials: { region, accessKey, secretKey },
      },
      client: {
        send: async () => ({
          response: {
            status: 200,
            headers: new Map(),
            body: bytesOf(pages.shift()!),
            cut: false,
            reusable: true,
          },
          phases: {},
          durationMs: 0,
          address: undefined,
          certificate: undefined,
        }),
      },
      clock: hastyClock().clock,
      signal: new AbortController().signal,
    });
    const object = (key: string, size = "1") => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
    const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
    const faulty = [
      [list(object("b") + object("a"))],
      [list(more + object("a")), list(more + object("a"))],
      [list(more)],
      [list("<IsTruncated>true</IsTruncated>" + object("a"))],
      [list(object("a", "-1"))],
      ["<html></html>"],
      ["<ListBucketResult>" + object("a")],
    ];
    for (const content of faulty) {
      pages.splice(0, pages.length, ...content);
      expect(await failureOf(listed(store))).toMatchObject({ code: "unexpected" });
    }
    pages.splice(0, pages.length, list(object("../a") + object("B") + object("a&amp;b") + object("c")));
    expect(await listed(store)).toEqual(["c 1"]);
  });

  test("addresses the bucket by host name at Amazon, and where the endpoint begins with it; else by path", async () => {
    const urls: string[] = [];
    const send = async (request: HttpRequest) => {
      urls.push(request.url);
      return { failure: "refused_address", reason: "x", partial: undefined } as never;
    };
    const cases = [
      ["backups", null, "eu-central-1"],
      ["my.backups", null, "eu-central-1"],
      ["backups", null, "cn-north-1"],
      ["backups", "https://s3.example.com:9000/", "eu"],
      ["backups", "https://storage.example.com/s3", "eu"],
      ["backups", "https://backups.storage.example.com/", "eu"],
    ] as const;
    for (const [bucket, endpoint, region] of cases) {
      const location = {
        bucket,
        prefix: "p",
        endpoint,
        credentials: { region, accessKey: "a", secretKey: "s" },
      };
      const abort = new AbortController();
      abort.abort();
      const store = createS3Store({
        location,
        client: { send },
        clock: hastyClock().clock,
        signal: abort.signal,
      });
      await failureOf(store.get("k"));
    }
    expect(urls).toEqual([
      "https://backups.s3.eu-central-1.amazonaws.com/p/k",
      "https://s3.eu-central-1.amazonaws.com/my.backups/p/k",
      "https://backups.s3.cn-north-1.amazonaws.com.cn/p/k",
      "https://s3.example.com:9000/backups/p/k",
      "https://storage.example.com/s3/backups/p/k",
      "https://backups.storage.example.com/p/k",
    ]);
  });
});

test("a store that is opened from the configuration sends nothing to the proxy of the environment", async () => {
  const world = join(import.meta.dir, "../../../support/s3-proxy-world.ts");
  // The proxy is the port of a server that would record requests.
  const proxied: string[] = [];
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      proxied.push(request.url);
      return new Response("proxied");
    },
  });
  try {
    const { endpoint, bucket, region, accessKey, secretKey } = server;
    const location = {
      kind: "s3",
      bucket,
      prefix: "p",
      settings: { endpoint, region, accessKey, secretKey },
    };
    const url = `http://127.0.0.1:${proxy.port}`;
    const child = Bun.spawn([process.execPath, world, JSON.stringify(location)], {
      env: { ...process.env, HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, NO_PROXY: "" },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("stored\n");
    expect(server.objects.get("p/a")?.toString()).toBe("stored");
    expect(proxied).toEqual([]);
  } finally {
    await proxy.stop(true);
  }
});

test("a bucket without credentials is rejected before anything is sent", () => {
  const settings = { endpoint: server.endpoint, region: "eu", accessKey: null, secretKey: null };
  expect(() =>
    openStore({
      location: { kind: "s3", bucket: "b", prefix: "", settings },
      clock: systemClock,
      fillRandom: (bytes) => void bytes.fill(1),
      signal: new AbortController().signal,
    }),
  ).toThrow("set backup.s3_access_key and backup.s3_secret_key");
  expect(server.requests).toEqual([]);
});
