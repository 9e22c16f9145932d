/** Where a channel for people sends its messages. One shape for all types; what a type does not use is null or empty. */
export interface ChannelTarget {
  url: string | null;
  token: string | null;
  chatId: string | null;
  routingKey: string | null;
  topic: string | null;
  room: string | null;
  to: string[];
  template: string | null;
  headers: Record<string, string>;
}
