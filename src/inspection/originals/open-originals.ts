import type { Database } from "../../database/database.ts";
import type { ProtectedDomains } from "../../domains/domains.ts";
import type { Yielder } from "../../lib/yielder.ts";
import type { Brand } from "../model/brand.ts";
import { createBrands } from "./brands.ts";
import { createOriginalStore } from "./store.ts";

/** Originals of the protected brands: their pages and logos. */
export interface Originals {
  /** Reads all brands, which takes megabytes with many domains: pass them on and do not keep them. */
  brands(): Promise<Brand[]>;
  /** Calls `listener` after each change of the brands. */
  onBrandsChange(listener: () => void): void;
}

export function openOriginals({
  database,
  domains,
  yielder,
}: {
  database: Database;
  domains: Pick<ProtectedDomains, "list" | "onChange">;
  /** Divides reading into slices. */
  yielder: () => Yielder;
}): Originals {
  const store = createOriginalStore(database);
  const brands = createBrands({ database, domains, store, yielder });
  return { brands: brands.read, onBrandsChange: brands.onChange };
}
