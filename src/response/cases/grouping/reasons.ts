/** Things that two threats can have in common, and that cost an attacker money or work. */
export const reasonCodes = [
  "certificate",
  "address",
  "numbered_name",
  "page",
  "favicon",
  "screenshot",
  "name_servers",
  "registration",
  "numbered_brand",
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/** Two threats belong together if the weights of the aspects that they share add up to this. */
export const pairWeightMin = 50;

/**
 * A reason for which threats belong together. The manual's table is generated from it (`scripts/render-campaign-reasons.ts`).
 */
export interface Reason {
  name: string;
  /** Name within a list. */
  short: string;
  /** Reasons of one aspect count once: a copied page has the icon, the structure and the look of the original. */
  aspect: "certificate" | "address" | "name" | "page" | "name_servers" | "registration";
  weight: number;
  /** Why it costs an attacker money or work. */
  cost: string;
  /** Examples. */
  joins: string;
  joinsNot: string;
}

export const reasons: Record<ReasonCode, Reason> = {
  certificate: {
    name: "Same certificate",
    short: "certificate",
    aspect: "certificate",
    weight: 60,
    cost: "A site that presents a certificate has its private key, for which control of all its names was proved.",
    joins: "example-login.net and example-pay.org in one certificate",
    joinsNot: "names in the certificate of a website builder, which contains the names of many customers",
  },
  address: {
    name: "Same address",
    short: "address",
    aspect: "address",
    weight: 50,
    cost: "Each server is rented.",
    joins: "example-login.net and example-pay.org at 203.0.113.7, with few other names",
    joinsNot: "names behind a content delivery network, or on a shared host",
  },
  numbered_name: {
    name: "Name differs only in its numbers",
    short: "numbered name",
    aspect: "name",
    weight: 50,
    cost: "One script chose and registered the names.",
    joins: "example-login01.net and example-login02.net",
    joinsNot: "example-login01.net and example-login01.org",
  },
  page: {
    name: "Same structure of the page",
    short: "page structure",
    aspect: "page",
    weight: 30,
    cost: "A page is set up from a kit that was bought or written.",
    joins: "two pages with the same elements and form fields in the same order",
    joinsNot: "default pages of a web server, which many names show",
  },
  favicon: {
    name: "Same icon",
    short: "icon",
    aspect: "page",
    weight: 30,
    cost: "The icon is part of a kit.",
    joins: "two sites whose icon files are equal, and that have another reason in common",
    joinsNot: "two sites that only copied the icon of the brand",
  },
  screenshot: {
    name: "Same look of the page",
    short: "screenshot",
    aspect: "page",
    weight: 30,
    cost: "A page is set up from a kit that was bought or written.",
    joins: "two screenshots with the same perceptual hash, and another reason in common",
    joinsNot: "two blank pages",
  },
  name_servers: {
    name: "Same name servers",
    short: "name servers",
    aspect: "name_servers",
    weight: 25,
    cost: "Name servers belong to an account at a DNS host or to a server of the attacker.",
    joins: "two names with the same set of name servers, registered in the same hour",
    joinsNot: "names with the default name servers of a registrar",
  },
  registration: {
    name: "Registered within an hour at the same registrar",
    short: "registration",
    aspect: "registration",
    weight: 25,
    cost: "Names are paid for in one order.",
    joins: "two names registered 20 minutes apart at one registrar, with the same name servers",
    joinsNot: "two names of which only the date of registration is known",
  },
  numbered_brand: {
    name: "Brand that differs only in its numbers",
    short: "numbered brand",
    aspect: "name",
    weight: 25,
    cost: "Such names come from one order, though short ones may be chosen twice.",
    joins: "example1.net and example2.net with the same name servers",
    joinsNot: "example1.net and example2.net that have nothing else in common",
  },
};
