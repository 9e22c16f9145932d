import { describe, expect, test } from "bun:test";
import { dataAddress, faviconAddress, faviconHash } from "../../../src/facts/lookups/page/page-pictures.ts";
import { readPage as readPieces } from "../../../src/facts/lookups/page/page-content.ts";
import { asksFor, namesBrand, parkedAs } from "../../../src/facts/lookups/page/page-indicators.ts";
import { decodePage } from "../../../src/facts/lookups/markup/page-text.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";

const turns = createTurns();
const readPage = (html: string) =>
  readPieces(decodePage(Buffer.from(html), "text/html; charset=utf-8"), turns);

const asks = async (html: string) => {
  const content = await readPage(html);
  return { password: asksFor("password", content), card: asksFor("card", content) };
};

describe("password fields", () => {
  test.each([
    ["<input type=password>"],
    ["<INPUT TYPE=' PassWord '>"],
    ['<input type="&#112;assword">'],
    ["<form><div><input name=x type=password hidden></div></form>"],
    ["<input type=text autocomplete='section-a current-password'>"],
    ["<input autocomplete=one-time-code>"],
    ["<input type=text name=userPassword>"],
    ["<input type=text placeholder='Ihr Passwort'>"],
    ["<input type=text placeholder='Contrase&ntilde;a'>"],
    ["<input type=tel id=login_pin>"],
    ["<input placeholder='Mot de passe'>"],
    ["<input placeholder='&#1055;&#1072;&#1088;&#1086;&#1083;&#1100;'>"],
    ["<input placeholder='\u30d1\u30b9\u30ef\u30fc\u30c9'>"],
    ["<input placeholder='\uff30assword'>"],
    ["<input placeholder='\u5bc6\u7801'>"],
    ["<input placeholder='\ube44\ubc00\ubc88\ud638'>"],
    ["<label>Has\u0142o</label><input name=f2>"],
    ["<input aria-label='L\u00d6SENORD'>"],
  ])("%s asks for a password", async (html) => {
    expect((await asks(html)).password).toBe(true);
  });
});

describe("payment card fields", () => {
  test.each([
    ["<input autocomplete=cc-number>"],
    ["<input autocomplete='billing cc-csc'>"],
    ["<input name=cardNumber>"],
    ["<input name=card_number>"],
    ["<input id=cvv>"],
    ["<input placeholder='Num\u00e9ro de carte'>"],
    ["<input placeholder='N\u00famero de tarjeta'>"],
    ["<input placeholder='Kartennummer'>"],
    ["<input placeholder='\u30ab\u30fc\u30c9\u756a\u53f7'>"],
    ["<label>N\u00famero do cart\u00e3o</label><input type=tel>"],
  ])("%s asks for a payment card", async (html) => {
    expect((await asks(html)).card).toBe(true);
  });
});

describe("harmless fields", () => {
  test.each([
    [""],
    ["<input type=search name=q>"],
    ["<input type=hidden name=password_reset_token>"],
    ["<input type=submit value=Password name=password>"],
    ["<script>document.write('<input type=password>')</script>"],
    ["<!-- <input type=password> -->"],
    ["<p>Forgot your password? Credit card? CVV?</p>"],
    ["<label>Password</label>"],
    ["<input name=passenger><input name=spinner><input name=company><input name=discard>"],
    ["<input type=email name=newsletter>"],
    [`<label>${"Our password rules are these: ".repeat(5)}</label><input name=q>`],
    ["<textarea name=message></textarea>"],
  ])("%s asks for no secret", async (html) => {
    expect(await asks(html)).toEqual({ password: false, card: false });
  });
});

describe("brand names", () => {
  const names = async (html: string, brands = ["example-bank"]) =>
    namesBrand(await readPage(html), brands, "example-bank.evil.example", turns);
  test.each([
    ["<title>Example Bank - Sign in</title>"],
    ["<p>Welcome to EXAMPLE-BANK</p>"],
    ["<p>Example<b>Bank</b></p>"],
    ["<img alt='ExampleBank logo'>"],
    ["<meta property=og:site_name content='Example Bank'>"],
    ["<p>E&#120;ample&nbsp;Bank</p>"],
    ["<p>www.example-bank.com</p>"],
  ])("%s names the brand", async (html) => {
    expect(await names(html)).toBe(true);
  });

  test("other words, scripts and the page's own host name do not name the brand", async () => {
    expect(await names("<p>An example of a bank</p>")).toBe(false);
    expect(await names("<p>examplebanking sample bank</p>")).toBe(false);
    expect(await names("<script>var a = 'Example Bank'</script><style>/* Example Bank */</style>")).toBe(
      false,
    );
    expect(
      await names("<title>example-bank.evil.example</title><p>example-bank.evil.example is for sale</p>"),
    ).toBe(false);
    expect(await names("<p>single, singing</p>", ["ing"])).toBe(false);
    expect(await names("<p>anything</p>", ["", "-"])).toBe(false);
  });
});

describe("parked pages", () => {
  const parked = async (html: string, ...addresses: string[]) =>
    parkedAs(
      await readPage(html),
      addresses.map((address) => new URL(address)),
    );
  test.each([
    ["", "https://www.sedoparking.com/x", "Sedo"],
    ["", "https://img1.wsimg.com/parking-lander/static/js/main.js", "GoDaddy"],
    ["", "http://ww1.example.com/?s=https://x", undefined],
    ["<h1>This domain is for sale!</h1>", undefined, "for sale"],
    ["<h1>Diese Domain steht zum Verkauf</h1>", undefined, "for sale"],
    ["<h1>Ce nom de domaine est \u00e0 vendre</h1>", undefined, "for sale"],
    ["<h1>\u6b64\u57df\u540d\u51fa\u552e\u4e2d</h1>", undefined, "for sale"],
    ["<title>Account Suspended</title>", undefined, "suspended"],
    ["<p>We sell houses. Domain specialists for sale.</p>", undefined, undefined],
    ["", "https://notsedo.com/", undefined],
  ])("%s %s is parked: %s", async (html, address, expected) => {
    expect(await parked(html, ...(address === undefined ? [] : [address]))).toBe(expected);
  });

  test("a long page that only mentions parking is not parked", async () => {
    expect(
      await parked(`<p>${"All about the trade in names. ".repeat(200)} This domain is for sale.</p>`),
    ).toBeUndefined();
  });
});

describe("page encodings", () => {
  const bytes = (text: string) => Buffer.from(text, "latin1");
  test.each([
    ["by its header", bytes("\x83\x70\x83\x58"), "text/html; charset=Shift_JIS", "\u30d1\u30b9"],
    [
      "the meta element",
      bytes('<meta charset="windows-1251">\xcf\xe0\xf0\xee\xeb\xfc'),
      "text/html",
      "\u041f\u0430\u0440\u043e\u043b\u044c",
    ],
    [
      "the long form of the meta element",
      bytes('<meta http-equiv=Content-Type content="text/html; charset=gbk">\xc3\xdc\xc2\xeb'),
      undefined,
      "\u5bc6\u7801",
    ],
    ["by its byte order mark", bytes("\xff\xfea\x00"), "text/html; charset=utf-8", "a"],
    ["as UTF-8 without a word", Buffer.from("Contrase\u00f1a ..."), "text/html", "Contrase\u00f1a"],
    ["as Latin-1 where it is no UTF-8", bytes("Contrase\xf1a ..."), "text/html", "Contrase\u00f1a"],
    ["in spite of an encoding that nobody knows", Buffer.from("abc"), "text/html; charset=klingon", "abc"],
  ])("the text is decoded by %s", (_how, body, contentType, expected) => {
    expect([...decodePage(body, contentType)].join("")).toContain(expected);
  });
});

describe("page content", () => {
  test("the title is the first one of the document, decoded, and not that of an image", async () => {
    expect((await readPage("<title> A &amp;\n B\u00a0&#x43; </title><title>D</title>")).title).toBe(
      "A & B C",
    );
    expect((await readPage("<body><svg><title>Logo</title></svg>")).title).toBe("Logo");
    expect((await readPage("<title></title>")).title).toBe("");
    expect((await readPage("<title>never closed")).title).toBe("never closed");
  });

  test("a refresh within a few seconds is a redirect", async () => {
    const refresh = async (content: string) =>
      (await readPage(`<meta http-equiv="REFRESH" content="${content}">`)).refresh;
    expect(await refresh("0;url=/next")).toBe("/next");
    expect(await refresh("3; URL='https://x.example/'")).toBe("https://x.example/");
    expect(await refresh("0, //x.example/a")).toBe("//x.example/a");
    expect(await Promise.all(["", "5", "x", "600;url=/later", "0;"].map(refresh))).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("redirects by scripts are found", async () => {
    const targets = async (script: string) => (await readPage(`<script>${script}</script>`)).scriptRedirects;
    expect(await targets("window.location.href = '/lander'")).toEqual(["/lander"]);
    expect(await targets('top.location="https://x.example/"')).toEqual(["https://x.example/"]);
    expect(await targets("location.replace('/a'); location.assign(`/b`)")).toEqual(["/a", "/b"]);
    expect(await targets(`window.location=atob("${btoa("/c")}")`)).toEqual(["/c"]);
    expect(await targets("if (location == '/a') var mylocation = '/b'")).toEqual([]);
  });

  test("other work runs at least every 8 KiB of a hostile page", async () => {
    let counted = 0;
    let isRead = false;
    const turn = () => {
      counted += 1;
      if (!isRead) setImmediate(turn);
    };
    setImmediate(turn);
    await readPage("x".repeat(1 << 20));
    isRead = true;
    expect(counted).toBeGreaterThanOrEqual(128);
  });

  test("hostile HTML (slow, deep, endless) is read quickly, and little of it is kept", async () => {
    const pieces = [
      "<div>",
      "<input name=a>",
      "<label>x",
      "<b",
      "&",
      "&#",
      "<title>",
      '<meta http-equiv=refresh content="0;',
      "<script>location='",
      "<!--",
      "<a href='",
      "x",
      " ",
      "<svg><title>",
      "location=",
      "\n",
      "<img alt=b>",
      "<link rel=icon href=a>",
      "<table><tr><td>",
    ];
    for (const piece of pieces) {
      const content = await readPage(piece.repeat(Math.ceil((1 << 20) / piece.length)));
      asksFor("password", content);
      await namesBrand(content, ["example-bank"], "evil.example", turns);
      parkedAs(content, []);
      expect(content.fields.length).toBeLessThanOrEqual(500);
      expect(content.icons.length).toBeLessThanOrEqual(500);
      expect(content.text.length).toBeLessThanOrEqual(500_000);
    }
    // Quadratic work on one of these pages takes much longer.
  }, 60_000);
});

describe("favicon", () => {
  test("the hash is MurmurHash3 of the base64 in lines of 76 characters", () => {
    // Computed by another implementation of MurmurHash3 from the output of Python's base64.encodebytes.
    expect(faviconHash(Uint8Array.from({ length: 1_024 }, (_, index) => index & 255))).toBe("-1082603952");
    expect(faviconHash(new Uint8Array(60))).toBe("36438503");
    expect(faviconHash(Buffer.from("phishwatch"))).toBe("1957205280");
  });

  test("the URL is the one that the page links, or the default of browsers", () => {
    const base = "https://x.example/login/";
    expect(faviconAddress([{ rel: "shortcut icon", href: "i.png" }], base)).toBe(
      "https://x.example/login/i.png",
    );
    expect(
      faviconAddress(
        [
          { rel: "mask-icon", href: "m.svg" },
          { rel: "apple-touch-icon", href: "t.png" },
        ],
        base,
      ),
    ).toBe("https://x.example/favicon.ico");
    expect(faviconAddress([], base)).toBe("https://x.example/favicon.ico");
    expect(faviconAddress([{ rel: "icon", href: "http://[" }], base)).toBeUndefined();
  });

  test("an icon may be embedded in the page", () => {
    expect(dataAddress("data:image/png;base64,aGk=")).toEqual(Buffer.from("hi"));
    expect(dataAddress("data:image/svg+xml,%3Csvg/%3E")).toEqual(Buffer.from("<svg/>"));
    expect(["data:,", "data:x,%", "https://x.example/"].map(dataAddress)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
