/** A range of IP addresses, as its regional registry describes it. Text of third parties, validated and limited. */
export interface Network {
  /** First and last address, in the registry's notation. */
  first: string;
  last: string;
  /** Name that the holder gave it, such as `EXAMPLE-NET`. */
  name?: string;
  organization?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  /** Autonomous system that announces it. */
  asn?: number;
  abuseEmail?: string;
  abusePhone?: string;
  source: "rdap" | "whois";
  /** URL of the response; for WHOIS, `whois://` and the server. */
  url: string;
}
