import { overviewPath, welcomePath } from "../../kit/paths.ts";
import type { PageServices } from "../../shell/services.ts";
import { isOffered } from "./progress.ts";

/** Returns the page after a sign-in: the setup while nothing is set up yet, else the overview. */
export function homePath(services: Pick<PageServices, "domains" | "setup" | "storage" | "threats">): string {
  if (!isOffered(services)) return overviewPath;
  const { domains, threats } = services;
  const isEmpty = threats.totals().length === 0 && !domains.list().some(({ enabled }) => enabled);
  return isEmpty ? welcomePath : overviewPath;
}
