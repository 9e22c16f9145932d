import type { Database } from "../../../platform/database/database.ts";
import { decodeLabel } from "../../../engines/detection/names/name.ts";
import { splitName } from "../../../engines/detection/names/suffix.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { ProtectedDomain } from "../../../threats/domains/tables.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { StatingPage } from "../discovery/stated-names.ts";
import type { Brand, OriginalPage } from "../model/verdict.ts";
import type { OriginalStore } from "./store.ts";

/** Reads how the enabled protected domains look. */
export type Brands = ReturnType<typeof createBrands>;

/** Kits also copy earlier versions of a page. */
const versionsComparedMax = 3;

interface BrandsDependencies {
  database: Pick<Database, "afterCommit" | "foreignVersion">;
  domains: Pick<ProtectedDomains, "list" | "onChange">;
  store: OriginalStore;
  /** Divides reading into slices. */
  yielder: () => Yielder;
}

export function createBrands({ database, domains, store, yielder }: BrandsDependencies) {
  const listeners: (() => void)[] = [];
  let known: { foreignVersion: number; content: string } | undefined;

  const enabledDomains = () => domains.list().filter(({ enabled }) => enabled);
  const contentNow = () =>
    JSON.stringify([
      enabledDomains().map(({ domain, keywords, allow }) => [domain, keywords, allow]),
      store.comparedContent(),
    ]);

  function dismissedKeywords({ seq }: ProtectedDomain): ReadonlySet<string> {
    const prefix = "keyword ";
    const dismissed = [...store.dismissed(seq)].filter((key) => key.startsWith(prefix));
    return new Set(dismissed.map((key) => key.slice(prefix.length)));
  }

  function notify(): void {
    for (const listener of listeners) listener();
  }
  domains.onChange(notify);

  return {
    /** Reads the brands, which takes megabytes with many domains: pass them on and do not keep them. */
    async read() {
      known = { foreignVersion: database.foreignVersion(), content: contentNow() };
      // Loaded here, because the word lists would delay startup.
      const { statedNames } = await import("../discovery/stated-names.ts");
      const pace = yielder();
      const brands: Brand[] = [];
      for (const domain of enabledDomains()) {
        const originals: OriginalPage[] = [];
        const present: StatingPage[] = [];
        for (const page of store.list(domain.seq).filter(({ enabled }) => enabled))
          for (const [index, seq] of store.comparedVersions(page.seq, versionsComparedMax).entries()) {
            const version = store.findVersion(seq);
            if (version === undefined) continue;
            const { fingerprint, names } = version;
            originals.push({ address: page.address, fingerprint });
            if (index === 0) present.push({ title: fingerprint.title, names });
            if (pace.due()) await pace.pause();
          }
        const logos = store.logos(domain.seq).map(({ hash, image, name }) => ({
          name,
          image: new Uint8Array(image),
          hash: hash ?? undefined,
        }));
        const stated = statedNames(present, dismissedKeywords(domain));
        brands.push({ ...identityOf(domain, stated), originals, logos });
      }
      return brands;
    },

    /** Calls the listeners once the current transaction has committed. */
    changed: () => database.afterCommit(notify),

    /** Calls the listeners if another process has changed anything since the last read. */
    noticeOthers() {
      const foreignVersion = database.foreignVersion();
      if (known === undefined || known.foreignVersion === foreignVersion) return;
      // Most commits of other processes do not change the originals.
      const content = contentNow();
      const isSame = known.content === content;
      known = { foreignVersion, content };
      if (!isSame) notify();
    },

    /** Calls `listener` after each change that this process made or noticed. */
    onChange: (listener: () => void) => void listeners.push(listener),
  };
}

/** @param stated names of the site that its originals state */
function identityOf(
  { domain, keywords, allow }: ProtectedDomain,
  stated: readonly string[],
): Pick<Brand, "protectedDomain" | "names" | "allow"> {
  const label = decodeLabel(splitName(domain).registrableLabel);
  const names = [...new Set([label, ...keywords, ...stated])].filter((name) => name !== "");
  return { protectedDomain: domain, names, allow };
}
