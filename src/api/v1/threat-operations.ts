import type { Actor } from "../../access/audit/actor.ts";
import type { ApiKey } from "../../access/keys/keys.ts";
import { requireDomain, requireScope } from "../../access/keys/permissions.ts";
import type { Database } from "../../database/database.ts";
import { notFound } from "../../lib/errors.ts";
import { isId } from "../../lib/ids.ts";
import type { ThreatDetail } from "../../threats/detail.ts";
import type { Threats } from "../../threats/threats.ts";
import type { Status } from "../../vocabulary/threats.ts";
import type { RouteContext } from "../../http/pipeline.ts";
import { jsonReader } from "../../http/json-body.ts";
import { readListQuery, refuseQuery } from "../../http/query.ts";
import { batchSchema, statusChangeSchema, type BatchBody } from "./schemas.ts";
import { toDetailObject, toListObject } from "./threat-shapes.ts";

const statusAfter: Record<BatchBody["action"], Status> = {
  resolve: "resolved",
  mark_false_positive: "false_positive",
  reactivate: "active",
};

/** What the four operations on threats do, apart from HTTP's outer forms. Each takes an admitted key. */
export function createThreatOperations({
  database,
  threats,
  publicUrl,
  maxPerPage,
  maxBatchIds,
  clientAddress,
}: {
  database: Pick<Database, "groupCommit">;
  threats: Threats;
  /** Without trailing slash. */
  publicUrl: () => string;
  maxPerPage: number;
  maxBatchIds: number;
  clientAddress: (request: Request) => string | undefined;
}) {
  const readStatusChange = jsonReader(statusChangeSchema);
  const readBatch = jsonReader(batchSchema(maxBatchIds));

  /** @throws PublicError `not_found`, `forbidden` */
  function find(key: ApiKey, id: string | null | undefined): ThreatDetail {
    const threat = typeof id === "string" && isId("threat", id) ? threats.detail(id) : undefined;
    if (threat === undefined) throw notFound("There is no threat with this id.");
    requireDomain(key, threat.protectedDomain);
    return threat;
  }

  function actorOf(key: ApiKey, request: Request): Actor {
    return { channel: "api", name: key.name, address: clientAddress(request) ?? null };
  }

  return {
    list(key: ApiKey, { url }: Request) {
      requireScope(key, "threats:read");
      const { domain, status, severity, page, perPage } = readListQuery(url, maxPerPage);
      if (domain !== undefined) requireDomain(key, domain);
      const filter = { protectedDomain: domain, status, severity, within: key.domains };
      const { threats: found, total } = threats.list(filter, { page, perPage });
      const address = publicUrl();
      return {
        data: found.map((threat) => toListObject(threat, address)),
        meta: { total, page, per_page: perPage },
      };
    },

    get(key: ApiKey, { url }: Request, { id }: RouteContext["params"]) {
      requireScope(key, "threats:read");
      refuseQuery(url);
      return { data: toDetailObject(find(key, id), publicUrl()) };
    },

    async update(key: ApiKey, request: Request, { id }: RouteContext["params"]) {
      requireScope(key, "threats:write");
      refuseQuery(request.url);
      const { status } = await readStatusChange(request);
      const threat = find(key, id);
      const options = { by: actorOf(key, request), within: key.domains };
      await database.groupCommit(() => threats.changeStatus([threat.id], status as Status, options));
      return { data: toDetailObject(find(key, id), publicUrl()) };
    },

    async batch(key: ApiKey, request: Request) {
      requireScope(key, "threats:write");
      refuseQuery(request.url);
      const { ids, action } = await readBatch(request);
      const options = { by: actorOf(key, request), within: key.domains };
      const data = await database.groupCommit(() => threats.changeStatus(ids, statusAfter[action], options));
      const meta = { updated: 0, unchanged: 0, not_found: 0, forbidden: 0 };
      for (const { outcome } of data) meta[outcome] += 1;
      return { data, meta };
    },
  };
}
