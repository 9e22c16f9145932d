/** Signs in to the console. Returns the value of the Cookie header. */
export async function signIn(url: string, password: string): Promise<string> {
  const page = await fetch(`${url}/console/sign-in`);
  const token = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const cookies = cookiesOf(page);
  const response = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookies, origin: url },
    body: new URLSearchParams({ form_token: token, password }),
  });
  if (response.status !== 303) throw new Error(`sign-in returned ${response.status}`);
  return cookiesOf(response);
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0]!)
    .join("; ");
}
