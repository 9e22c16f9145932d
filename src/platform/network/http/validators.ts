/** Identifies a version of a resource, as its server described it (RFC 9110, section 8.8). */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

const validatorCharactersMax = 500;

/** Returns the validators of a response. They are sent back as they came, so only visible ASCII is kept. */
export function validatorsOf(headers: ReadonlyMap<string, string>): Validators {
  const clean = (name: string) => {
    const text = headers.get(name) ?? "";
    return text !== "" && text.length <= validatorCharactersMax && /^[ -~]+$/.test(text) ? text : null;
  };
  return { etag: clean("etag"), lastModified: clean("last-modified") };
}

/** Returns the headers that request a resource only if it is another version than this one. */
export function conditionsFor({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}
