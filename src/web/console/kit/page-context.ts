import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Account } from "../../../access/accounts/accounts.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Permission } from "../../../platform/vocabulary/permissions.ts";
import { createReaderTimes, utc, type ReaderTimes } from "./times.ts";

/** Facts about the current page that components need without receiving them as properties. */
export interface PageContext {
  path: string;
  query: URLSearchParams;
  /** The signed-in account; undefined before the sign-in. */
  account: Pick<Account, "name" | "role"> | undefined;
  /** Proves that a form was sent from one of the console's own pages. */
  csrfToken: string;
  /** Address of the icons. */
  iconsPath: string;
  reader: Reader;
  now: Instant;
  /** Returns whether the visitor's role allows an action. */
  may(permission: Permission): boolean;
  /** Returns whether the visitor's role allows the route behind an address; true when no route has it. */
  mayOpen(method: "GET" | "POST", path: string): boolean;
}

/** The person in front of the browser. */
export interface Reader {
  /** IANA name. */
  timeZone: string;
  density: "comfortable" | "compact";
  /** Whether single keys act. */
  shortcuts: boolean;
  times: ReaderTimes;
}

/** The context of a part of a page that is rendered alone. */
export const noPage: PageContext = {
  path: "",
  query: new URLSearchParams(),
  account: undefined,
  csrfToken: "",
  iconsPath: "",
  reader: { timeZone: utc, density: "comfortable", shortcuts: true, times: createReaderTimes(utc) },
  now: 0,
  may: () => false,
  mayOpen: () => false,
};

export const PageContextOf = createContext<PageContext>(noPage);

export function usePage(): PageContext {
  return useContext(PageContextOf);
}
