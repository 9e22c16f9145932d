import { existsSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { protectedDomains } from "../../threats/domains/tables.ts";
import { enrichments } from "../../facts/enrichment/tables.ts";
import type { ScreenshotFiles } from "../../facts/lookups/page/screenshot-files.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import { findBrand, pictureWith } from "./pictures.ts";

/** In the executable, the folder is next to the code; in the sources, it is one level up. */
function folderOfScreenshots(): string {
  const embedded = join(import.meta.dir, "screenshots");
  return existsSync(embedded) ? embedded : join(import.meta.dir, "../screenshots");
}

/** Serves the sample screenshots for the threats whose facts contain them. Writes nothing. */
export function createSampleScreenshots(database: () => Pick<Database, "query">): ScreenshotFiles {
  function nameOf(id: string) {
    const { query } = database();
    const threat = query
      .select({ facts: enrichments.facts })
      .from(enrichments)
      .innerJoin(threats, eq(enrichments.threatSeq, threats.seq))
      .where(eq(threats.id, id))
      .get();
    if (threat !== undefined)
      return threat.facts.screenshot === undefined ? undefined : pictureWith(threat.facts.screenshot.hash);
    const domain = query
      .select({ domain: protectedDomains.domain })
      .from(protectedDomains)
      .where(eq(protectedDomains.id, id))
      .get();
    return domain === undefined ? undefined : findBrand(domain.domain)?.original;
  }

  return {
    async write() {},
    async remove() {},
    writtenAt: async () => undefined,
    async read(id) {
      const name = nameOf(id);
      return name === undefined ? undefined : Bun.file(join(folderOfScreenshots(), `${name}.webp`)).bytes();
    },
  };
}
