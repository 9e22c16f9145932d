import { expect, test } from "bun:test";
import { discoverPages } from "../../../../src/facts/inspection/discovery/discover-pages.ts";
import { viewOf } from "../comparison/support.ts";

const owner = { domain: "example-bank.com", allow: ["examplepay.net"] };
const home = "https://www.example-bank.com/";

/** Returns what is found among links, each given as text and address. */
function discover(links: [text: string, url: string][], frames: string[] = []) {
  return discoverPages(
    viewOf({
      addresses: [home],
      linkTexts: links.map(([text, url]) => ({ text, url: new URL(url, home).href })),
      links: links.map(([, url]) => new URL(url, home).href),
      resources: frames.map((url) => ({ kind: "frame", url: new URL(url, home).href })),
    }),
    owner,
  );
}

test.each<[string, string]>([
  ["Sign in", "sign_in"],
  ["LOG IN", "sign_in"],
  ["Anmelden", "sign_in"],
  ["Se connecter", "sign_in"],
  ["Iniciar sesión", "sign_in"],
  ["Área riservata", "sign_in"],
  ["Přihlásit se", "sign_in"],
  ["Zaloguj się", "sign_in"],
  ["Oturum aç", "sign_in"],
  ["Личный кабинет", "sign_in"],
  ["Σύνδεση", "sign_in"],
  ["ログインはこちら", "sign_in"],
  ["登录", "sign_in"],
  ["로그인", "sign_in"],
  ["تسجيل الدخول", "sign_in"],
  ["Đăng nhập", "sign_in"],
  ["เข้าสู่ระบบ", "sign_in"],
  ["Zur Kasse", "payment"],
  ["Rechnung bezahlen", "payment"],
  ["お支払い方法", "payment"],
])("a link with the text %s leads to a page of the role %s", (text, role) => {
  const { own } = discover([
    ["About us", "/about"],
    [text, "/x/17"],
  ]);
  expect(own).toEqual([{ url: `${home}x/17`, role: role as "sign_in", text }]);
});

test("links that only mention a word, lead elsewhere or leave the session are not taken", () => {
  const { own, elsewhere } = discover([
    ["Why you should never sign in on a link that somebody has sent to you", "/security"],
    ["Payment history of our company", "/history"],
    ["Sign in", "/logout"],
    ["Forgot your password?", "/login/forgot"],
    ["Register", "/account/login/register"],
    ["Sign in", "mailto:login@example-bank.com"],
    ["Sign in", "https://user:secret@example-bank.com/login"],
    ["Partner", "https://partner.example/login"],
  ]);
  expect(own).toEqual([]);
  expect(elsewhere).toEqual([]);
});

test("pages on other names are offered, and pages below the registered domain or an allowed name are taken", () => {
  const { own, elsewhere } = discover([
    ["Sign in", "https://login.example-bank.com/?return=%2F17#top"],
    ["Checkout", "https://shop.examplepay.net/basket"],
    ["Business login", "https://example-bank.identity.example/login?client=7"],
  ]);
  expect(own).toEqual([
    { url: "https://login.example-bank.com/", role: "sign_in", text: "Sign in" },
    { url: "https://shop.examplepay.net/basket", role: "payment", text: "Checkout" },
  ]);
  expect(elsewhere.map(({ url }) => url)).toEqual(["https://example-bank.identity.example/login"]);
});

test("the clearest links come first, a query stays only if the path says nothing, and frames count", () => {
  const { own } = discover(
    [
      ["Help", "/help/login"],
      ["", "/index.php?page=login&next=%2F"],
      ["Sign in", "/sign-in?next=%2F"],
    ],
    ["/widgets/checkout.html?session=4"],
  );
  expect(own.map(({ role, url }) => [role, url])).toEqual([
    ["sign_in", `${home}sign-in`],
    ["sign_in", `${home}index.php?page=login&next=%2F`],
    ["payment", `${home}widgets/checkout.html`],
  ]);
});

test("others below a public suffix that is protected are not the owner", () => {
  const view = viewOf({
    addresses: ["https://www.gov.uk/"],
    links: ["https://www.gov.uk/sign-in", "https://somebody.gov.uk/sign-in"],
    linkTexts: [{ text: "Sign in", url: "https://somebody.gov.uk/sign-in" }],
  });
  const { own, elsewhere } = discoverPages(view, { domain: "gov.uk", allow: [] });
  expect(own.map(({ url }) => url)).toEqual(["https://www.gov.uk/sign-in"]);
  expect(elsewhere.map(({ url }) => url)).toEqual(["https://somebody.gov.uk/sign-in"]);
});
