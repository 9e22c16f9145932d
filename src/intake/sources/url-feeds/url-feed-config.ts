import type { FeedConfig } from "../../../platform/config/config.ts";
import type { FeedDownload } from "./tables.ts";

/** A feed whose lists are fetched, as the configuration declares it. */
export type UrlFeedConfig = Omit<FeedConfig, "path" | "type"> & { type: "list" | "czds" };

/** Recognizes a feed whose lists are fetched. */
export function isUrlFeed<T extends Pick<FeedConfig, "path" | "type">>(
  feed: T,
): feed is T & { type: "list" | "czds" } {
  return feed.type === "czds" || (feed.type === "list" && feed.path === null);
}

/** Returns the name of a list for people: its address, or its zone. */
export function partLabel({ part, location }: Pick<FeedDownload, "part" | "location">): string {
  return part === "" ? location : part;
}
