import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Instant } from "../../lib/clock.ts";

/** What components know of the page they stand on, without being handed it. */
export interface PageContext {
  path: string;
  /** Proves that a form came from a page of ours. */
  formToken: string;
  now: Instant;
}

export const PageContextOf = createContext<PageContext>({ path: "", formToken: "", now: 0 });

export function usePage(): PageContext {
  return useContext(PageContextOf);
}
