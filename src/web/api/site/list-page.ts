import { noSuchRoute } from "../../http/errors.ts";
import type { Page } from "../../http/pipeline.ts";
import { hasGzip, isCompressible, namesTag } from "../../http/representation.ts";
import type { ResponseHeaders } from "../../http/responder.ts";
import { pathOf } from "../../../platform/lib/request-path.ts";
import type { List } from "../../../response/outputs/block-lists/list.ts";
import type { ListFile } from "../../../response/outputs/block-lists/list-files.ts";
import type { Lists } from "../../../response/outputs/block-lists/lists.ts";
import { blockListFormats, type BlockListFormat } from "../../../platform/vocabulary/lists.ts";

/**
 * Serves block lists. The token in the address is the only key. Every wrong address has the same response, which
 * does not reveal which lists exist.
 */
export function listPage({
  clientAddress,
  lists,
}: {
  clientAddress: (request: Request) => string | undefined;
  lists: Pick<Lists, "at" | "file" | "noteFetch">;
}): Page {
  return async (request, headers) => {
    const { method } = request;
    const { format, ...address } = readPath(pathOf(request.url));
    const list = lists.at(address);
    if (list === undefined || format === undefined || (method !== "GET" && method !== "HEAD"))
      throw noSuchRoute();
    const file = await lists.file(list, format);
    lists.noteFetch(list, clientAddress(request));
    return respond(request, file, headers);
  };
}

async function respond(
  { headers: sent }: Request,
  file: ListFile,
  headers: ResponseHeaders,
): Promise<Response> {
  const compresses = hasGzip(sent.get("accept-encoding"));
  headers["content-type"] = file.contentType;
  // Caches ask each time, so that a name that was listed by mistake is gone with the next request.
  headers["cache-control"] = "private, max-age=0, must-revalidate";
  headers["vary"] = "accept-encoding";
  headers["last-modified"] = new Date(file.changedAt).toUTCString();
  headers["etag"] = `"${file.tag}${compresses ? compressedTag : ""}"`;
  if (isUnchanged(sent, file)) return new Response(null, { status: 304, headers });
  const bytes = await file.bytes();
  if (!compresses || !isCompressible(bytes)) {
    headers["etag"] = `"${file.tag}"`;
    return new Response(bytes, { headers });
  }
  headers["content-encoding"] = "gzip";
  return new Response(await file.compressed(), { headers });
}
const compressedTag = "-gzip";

/** RFC 9110, section 13.2.2: `If-Modified-Since` counts only without `If-None-Match`. */
function isUnchanged(sent: Headers, { changedAt, tag }: ListFile): boolean {
  const tags = sent.get("if-none-match");
  if (tags !== null) return namesTag(tags, tag);
  const since = sent.get("if-modified-since");
  return since !== null && changedAt <= Date.parse(since);
}

/** Reads `/lists/{token}/{name}.{format}`. Another path has the name and token of no list. */
function readPath(path: string): Pick<List, "name" | "token"> & { format: BlockListFormat | undefined } {
  const [, , token = "", file = "", ...others] = path.split("/").map(decoded);
  const dot = file.lastIndexOf(".");
  const format = blockListFormats.find((one) => others.length === 0 && one === file.slice(dot + 1));
  return { name: file.slice(0, Math.max(dot, 0)), token, format };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
