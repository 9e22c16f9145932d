// The same "get a threat by ID" over the same database, built with fastify and better-sqlite3 on Node as their
// manuals recommend: response schema (compiled serializer), statements prepared once, no request log. The key check,
// rate limiter and request ID do the same work as phishwatch's. Where there is a choice, this server uses the faster
// option (it keeps all keys in memory).
// Usage: node fastify.js DATABASE PORT
import { createHash, randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";

const [path, port] = process.argv.slice(2);
const planLimits = { free: 60, pro: 600, enterprise: null };

const database = new Database(path, { readonly: true });
database.pragma(`mmap_size = ${1 << 30}`);
database.pragma("cache_size = -65536");

const keys = new Map(
  database
    .prepare("SELECT hash, plan, scopes, domains, expires_at, revoked_at FROM api_keys")
    .all()
    .map((row) => [
      row.hash.toString("base64"),
      {
        limit: planLimits[row.plan],
        scopes: JSON.parse(row.scopes),
        domains: JSON.parse(row.domains),
        expiresAt: row.expires_at ?? Infinity,
        revokedAt: row.revoked_at ?? Infinity,
        tokens: 0,
        fullAt: 0,
      },
    ]),
);
const threatById = database.prepare(
  `SELECT t.id, t.domain, p.domain AS protected_domain, t.type, t.status, t.severity, t.similarity, t.source,
     t.created_at, t.screenshot_token, t.ip_address, t.registrar, t.whois
   FROM threats t JOIN protected_domains p ON p.seq = t.protected_domain_seq WHERE t.id = ?`,
);

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };
const threatSchema = {
  type: "object",
  properties: {
    ...{ id: text, domain: text, protected_domain: text, type: text, status: text, severity: text },
    ...{ similarity: { type: "number" }, source: text, created_at: text, screenshot_url: text },
    ...{ ip_address: textOrNull, registrar: textOrNull },
    whois: { type: "object", additionalProperties: true },
  },
};

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;
const app = Fastify({
  logger: false,
  genReqId: (request) => {
    const given = request.headers["x-request-id"];
    return given !== undefined && requestIdPattern.test(given) ? given : randomUUID();
  },
});

app.decorateRequest("key", null);
app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));

function authenticateAndCount(request, reply, done) {
  reply.header("x-request-id", request.id);
  const now = Date.now();
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  const key =
    scheme?.toLowerCase() === "bearer" && token
      ? keys.get(createHash("sha256").update(token).digest("base64"))
      : undefined;
  if (key === undefined || key.revokedAt <= now || key.expiresAt <= now) {
    reply.header("www-authenticate", "Bearer");
    return fail(reply, 401, "unauthorized", "unknown API key");
  }
  request.key = key;
  if (key.limit === null) return done();
  if (now >= key.fullAt) {
    key.tokens = key.limit;
    key.fullAt = now + 60_000;
  }
  const exceeded = key.tokens === 0;
  if (!exceeded) key.tokens -= 1;
  reply.header("x-ratelimit-limit", key.limit);
  reply.header("x-ratelimit-remaining", key.tokens);
  reply.header("x-ratelimit-reset", Math.ceil(key.fullAt / 1000));
  if (exceeded) return fail(reply, 429, "rate_limit_exceeded", "too many requests");
  done();
}

function getThreat(request, reply) {
  const { key } = request;
  if (!key.scopes.includes("threats:read"))
    return fail(reply, 403, "forbidden", "the key lacks the scope threats:read");
  const row = threatById.get(request.params.id);
  if (row === undefined) return fail(reply, 404, "not_found", "no such threat");
  if (key.domains.length > 0 && !key.domains.includes(row.protected_domain)) {
    return fail(reply, 403, "forbidden", "the key is restricted to other domains");
  }
  reply.send({
    data: {
      id: row.id,
      domain: row.domain,
      protected_domain: row.protected_domain,
      type: row.type,
      status: row.status,
      severity: row.severity,
      similarity: row.similarity,
      source: row.source,
      created_at: new Date(row.created_at).toISOString(),
      screenshot_url: `http://127.0.0.1:${port}/screenshots/${row.screenshot_token}`,
      ip_address: row.ip_address,
      registrar: row.registrar,
      whois: JSON.parse(row.whois),
    },
  });
}

function fail(reply, status, code, message) {
  reply.code(status).send({ error: { code, message } });
}

app.register((api, _options, done) => {
  api.addHook("onRequest", authenticateAndCount);
  const schema = { response: { 200: { type: "object", properties: { data: threatSchema } } } };
  api.get("/v1/threats/:id", { schema }, getThreat);
  done();
});

await app.listen({ host: "127.0.0.1", port: Number(port) });
