import { overviewPages } from "./overview.tsx";
import type { PageGroup } from "./router.ts";

/** All pages; the order is that of the navigation. */
export const pageGroups: readonly PageGroup[] = [overviewPages];
