import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Instant } from "../../lib/clock.ts";
import type { Permission } from "../../vocabulary/permissions.ts";

/** Facts about the current page that components need without receiving them as properties. */
export interface PageContext {
  path: string;
  /** Proves that a form was sent from one of the console's own pages. */
  csrfToken: string;
  now: Instant;
  /** Returns whether the visitor's role allows an action. */
  may(permission: Permission): boolean;
  /** Returns whether the visitor's role allows the route behind an address; true when no route has it. */
  mayOpen(method: "GET" | "POST", path: string): boolean;
}

export const PageContextOf = createContext<PageContext>({
  path: "",
  csrfToken: "",
  now: 0,
  may: () => false,
  mayOpen: () => false,
});

export function usePage(): PageContext {
  return useContext(PageContextOf);
}
