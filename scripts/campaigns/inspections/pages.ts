const text = "Your account shows your balance, pays bills, sends money and orders cards. ".repeat(20);
const signIn = `<!doctype html><html lang="en"><head><title>Example Bank – Sign in</title>
  <meta property="og:site_name" content="Example Bank"></head><body class="eb-page"><header class="eb-header">
  <img class="eb-logo" src="/logo.png" alt="Example Bank"></header><main class="eb-main"><h1>Welcome to Example Bank</h1>
  <p>${text}</p><form class="eb-form" action="/post.php" method="post"><label>User name<input name="user"></label>
  <label>Password<input type="password" name="password"></label><button>Sign in</button></form></main></body></html>`;
const news = `<!doctype html><html lang="en"><head><title>News</title></head><body><h1>The weather</h1>
  <p>${"The weather of this week is fine in the whole city and beyond. ".repeat(30)}</p></body></html>`;

export const originalHost = "example-bank.com";

/** Returns the page of a host: a sign-in page for the original and hosts that begin with "copy", otherwise harmless. */
export function respondAs(host: string): Response {
  const isSignIn = host === originalHost || host.startsWith("copy");
  return new Response(isSignIn ? signIn : news, { headers: { "content-type": "text/html; charset=utf-8" } });
}
