/** Response to a request for a page. */
export interface PageResponse {
  status: number;
  headers: Headers;
  html: string;
  /** Text without markup, with decoded entities and single spaces. */
  text: string;
  /** Target of a redirect. */
  location: string | null;
}

export interface Visitor {
  /** GET, without following redirects. */
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>;
  /**
   * Posts a form with the CSRF token, without following redirects. `headers` override those of a browser; an empty
   * value removes one.
   */
  post(
    path: string,
    fields?: Record<string, string | readonly string[]>,
    headers?: Record<string, string>,
  ): Promise<PageResponse>;
  /** Posts a form and returns the page that it redirects to. */
  submit(path: string, fields?: Record<string, string | readonly string[]>): Promise<PageResponse>;
  /** Returns the CSRF token of this visitor. */
  formToken(): Promise<string>;
  cookies: Map<string, string>;
}

/** Returns a browser without scripts that has its own cookies. */
export function createVisitor(url: string): Visitor {
  const cookies = new Map<string, string>();
  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const sent = new Headers({
      ...(body === undefined ? {} : { "content-type": formType, origin: url }),
      ...headers,
    });
    for (const [name, value] of Object.entries(headers)) if (value === "") sent.delete(name);
    if (cookies.size > 0) sent.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: sent,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const html = await response.text();
    const { status, headers: received } = response;
    return { status, headers: received, html, text: textOf(html), location: received.get("location") };
  }
  const self: Visitor = {
    cookies,
    get: (path, headers = {}) => send("GET", path, headers),
    async formToken() {
      const { html } = await send(
        "GET",
        cookies.has("phishwatch_session") ? "/console" : "/console/sign-in",
        {},
      );
      const token = /name="form_token" value="([^"]+)"/.exec(html)?.[1];
      if (token === undefined) throw new Error(`no form token in: ${textOf(html).slice(0, 500)}`);
      return token;
    },
    async post(path, fields = {}, headers = {}) {
      const body = new URLSearchParams();
      if (!("form_token" in fields)) body.set("form_token", await self.formToken());
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) body.append(name, one);
      return send("POST", path, headers, body.toString());
    },
    async submit(path, fields) {
      const response = await self.post(path, fields);
      if (response.location === null)
        throw new Error(`${path} did not redirect: ${response.status} ${response.text.slice(0, 1_000)}`);
      return self.get(response.location);
    },
  };
  return self;
}

const formType = "application/x-www-form-urlencoded";
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function textOf(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!)
    .replace(/\s+/g, " ")
    .trim();
}
