import { originalRoles } from "../../../../facts/inspection/model/original.ts";
import { badRequest, notFound, PublicError } from "../../../../platform/lib/errors.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { originalsPath } from "../../kit/paths.ts";
import { findDomain } from "../domains/shared.ts";
import { originalsPage, type OriginalsContext } from "./list.tsx";

/** A screenshot of a version never changes. */
const screenshotMaxAgeSeconds = 86_400;

export async function addOriginal(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const address = form.get("address") ?? "";
  const role = originalRoles.find((one) => one === form.get("role"));
  try {
    if (role === undefined) throw badRequest(`The role must be one of ${originalRoles.join(", ")}.`);
    await context.write(() => services.originals.add(domain, { address, role }, { by }));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return originalsPage(context, { address, role: role ?? "", error: error.message });
  }
  const isCaptured = await services.originals.captureNow(domain);
  return redirect(
    originalsPath(domain.domain),
    isCaptured ? "Page added. It is being captured." : "Page added. It is captured when lookups are enabled.",
  );
}

export async function removeOriginal(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const seq = Number(form.get("page"));
  await context.write(() => services.originals.remove(domain, seq, { by }));
  return redirect(
    originalsPath(domain.domain),
    "Page removed. It is not discovered again. To capture it again, add its address.",
  );
}

export async function captureOriginals(context: OriginalsContext): Promise<PageResult> {
  const domain = findDomain(context);
  const path = originalsPath(domain.domain);
  if (await context.services.originals.captureNow(domain))
    return redirect(path, "The pages are being captured.");
  return redirect(path, {
    tone: "warning",
    text: "No page is captured, because lookups.enabled is false in the configuration file.",
  });
}

export async function decideVersion(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const version = Number(form.get("version"));
  const state = form.get("state");
  if (state !== "accepted" && state !== "rejected")
    throw badRequest("The state must be accepted or rejected.");
  await context.write(() =>
    state === "accepted"
      ? services.originals.accept(domain, version, { by })
      : services.originals.reject(domain, version, { by }),
  );
  return redirect(
    originalsPath(domain.domain),
    state === "accepted"
      ? "Pages are compared with this version from now on."
      : "Rejected. Pages are compared with the version before it, if there is one.",
  );
}

export async function sendVersion(context: OriginalsContext): Promise<PageResult> {
  const domain = findDomain(context);
  const version = Number(context.params["version"]);
  const screenshot = await context.services.originals.screenshotOf(domain, version);
  if (screenshot === undefined) throw notFound("There is no screenshot for this version.");
  return new Response(screenshot.webp, {
    headers: {
      "content-type": "image/webp",
      "cache-control": `private, max-age=${screenshotMaxAgeSeconds}`,
    },
  });
}
