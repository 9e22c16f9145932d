import type { Brand, BrandSource } from "../model/verdict.ts";

/** Passes the brands to an inspector when it needs them: at first, and after each change. They are not kept here. */
export type BrandFeed = ReturnType<typeof createBrandFeed>;

interface BrandFeedDependencies {
  brands: Pick<BrandSource, "read">;
  pass: (brands: readonly Brand[]) => void;
}

export function createBrandFeed({ brands, pass }: BrandFeedDependencies) {
  let latest: Promise<void> = Promise.resolve();
  let isCurrent = false;

  /** One after the other: brands that were read before a change must not replace those read after it. */
  async function renew(earlier: Promise<void>): Promise<void> {
    await earlier.catch(() => {});
    try {
      pass(await brands.read());
    } catch (error) {
      // The next inspection reads them again.
      isCurrent = false;
      throw error;
    }
  }

  return {
    /** Resolves when the inspector has the present brands. Rejects if they cannot be read. */
    ready() {
      if (!isCurrent) {
        isCurrent = true;
        latest = renew(latest);
      }
      return latest;
    },

    /** Notes that the brands have changed. */
    forget: () => void (isCurrent = false),
  };
}
