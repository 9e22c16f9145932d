import { array, table, text, type TextReader } from "../fields/fields.ts";

const keyBytes = 32;

/** Public key of Ed25519, as `phishwatch data key` prints it. */
const readPublicKey: TextReader<string> = (given) => {
  const bytes = Buffer.from(given, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === given
    ? { value: given }
    : { allowed: "a public key: 32 bytes in base64, as 'phishwatch data key' prints it" };
};

export const data = table(
  {
    trusted_keys: array(
      text("public key", readPublicKey, { description: "a public key" }),
      { maxItems: 10, uniqueItems: true },
      {
        default: [],
        description:
          "public keys whose data updates are accepted, as 'phishwatch data key' prints them; none: no data update is accepted",
      },
    ),
  },
  "Updates of the lists that the program contains (`phishwatch data update`).",
  { reload: "restart" },
);
