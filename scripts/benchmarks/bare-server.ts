// A minimal Bun server that returns a constant JSON body: the baseline for phishwatch, run from source (api) and
// compiled (start). Environment: PORT, BODY_BYTES.
const bodyBytes = Number(process.env["BODY_BYTES"] ?? 2);
const body = JSON.stringify("x".repeat(bodyBytes - 2));

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  fetch: () => new Response(body, { headers: { "content-type": "application/json" } }),
});
