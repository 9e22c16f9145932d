/**
 * Pages of the fictional brands and of those who imitate them, from which `scripts/generate-demo-screenshots.ts` takes
 * the screenshots of the sample data.
 */

export interface DemoPage {
  html: string;
  /** Name of the original page that it is compared with; absent for an original. */
  original?: string;
}

const base = `*{box-sizing:border-box;margin:0}body{min-height:100vh;font:16px/1.5 "DejaVu Sans",sans-serif;color:#1c2530;
display:flex;flex-direction:column}input{display:block;width:100%;height:44px;border:1px solid #b7c1cc;border-radius:6px;
padding:0 12px;font:inherit;margin:4px 0 16px;background:#fff}button{width:100%;height:48px;border:0;border-radius:6px;
font:600 16px "DejaVu Sans",sans-serif;color:#fff}label{font-size:14px;color:#44505c}small{color:#66717d;font-size:13px}
h1{line-height:1.15;letter-spacing:-.02em}.row{display:flex;gap:16px}.row>*{flex:1}`;

function documentOf(title: string, css: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${base}${css}</style><body>${body}</body></html>`;
}

const field = (label: string, type = "text", value = "") =>
  `<label>${label}<input type="${type}" value="${value}"></label>`;

interface SignIn {
  heading: string;
  text: string;
  formTitle: string;
  fields: string;
  button: string;
  note: string;
}

function bank(
  color: string,
  { heading, text, formTitle, fields, button, note }: SignIn,
  links: string,
): string {
  return documentOf(
    "Example Bank – Online banking",
    `body{background:#eef3f9}header{background:${color};color:#fff;height:84px;padding:0 72px;display:flex;
align-items:center;justify-content:space-between}header b{font-size:24px}header b i{display:inline-block;width:22px;
height:22px;background:#f3c14b;transform:rotate(45deg);margin:0 18px -2px 4px;border-radius:3px}nav{display:flex;gap:32px;
font-size:15px}main{flex:1;display:flex;align-items:center;gap:80px;padding:40px 72px;
background:linear-gradient(115deg,#c9dcf2 0 46%,#e6eff9 46%)}main>div{flex:1}h1{font-size:46px;margin-bottom:18px}
main p{font-size:18px;color:#33475c}form{width:440px;background:#fff;padding:34px 36px;border-radius:12px;
box-shadow:0 14px 40px #14386033}h2{font-size:22px;margin-bottom:16px}button{background:${color}}
footer{padding:18px 72px;background:#fff;font-size:13px;color:#66717d;display:flex;justify-content:space-between}`,
    `<header><b><i></i>Example Bank</b><nav>${links}</nav></header><main><div><h1>${heading}</h1><p>${text}</p></div>
<form><h2>${formTitle}</h2>${fields}<button>${button}</button><p style="font-size:13px;margin-top:14px">${note}</p></form></main>
<footer><span>© Example Bank plc</span><span>Privacy · Terms · Security</span></footer>`,
  );
}

const bankLinks = "<span>Accounts</span><span>Cards</span><span>Loans</span><span>Help</span>";
const welcome = { heading: "Good to see<br>you again", text: "Accounts, cards and payments in one place." };
const signIn = field("Customer number") + field("Password", "password");

function shop(color: string, { cart, form }: { cart: string; form: string }): string {
  return documentOf(
    "Example Shop – Checkout",
    `body{background:#faf8f5}header{height:76px;padding:0 72px;display:flex;align-items:center;gap:40px;background:#fff;
border-bottom:1px solid #e6e0d8}header b{font-size:25px;color:${color}}header span{flex:1;height:42px;border-radius:21px;
background:#f2eee9;color:#8b8378;padding:8px 20px;font-size:14px}main{flex:1;display:flex;gap:48px;padding:36px 72px}
section{flex:1}h1{font-size:28px;margin-bottom:20px}form{width:520px;background:#fff;border:1px solid #e6e0d8;
border-radius:14px;padding:28px;align-self:flex-start}h2{font-size:19px;margin-bottom:14px}ul{list-style:none;padding:0}li{display:flex;gap:18px;
align-items:center;padding:14px 0;border-bottom:1px solid #e6e0d8}li i{width:72px;height:72px;border-radius:10px}
li b{flex:1}button{background:${color}}.total{display:flex;justify-content:space-between;font-size:19px;padding-top:18px}`,
    `<header><b>example shop</b><span>Search 40,000 products</span><small>Account · Basket (3)</small></header>
<main><section><h1>Your basket</h1><ul>${cart}</ul><p class="total"><span>Total</span><b>€ 126.40</b></p></section>
<form>${form}</form></main>`,
  );
}

const cart = [
  ["#d9583b", "Enamel kettle, 1.7 l", "€ 54.90"],
  ["#3d6b5c", "Linen tablecloth", "€ 39.00"],
  ["#e0b04a", "Six glasses", "€ 32.50"],
]
  .map(
    ([color, name, price]) =>
      `<li><i style="background:${color}"></i><b>${name}</b><span>${price}</span></li>`,
  )
  .join("");
const delivery = `<h2>Delivery</h2>${field("Name")}${field("Street and number")}<div class="row">${field("Postal code")}${field("City")}</div>`;

function samplix(
  color: string,
  { heading, fields, note }: { heading: string; fields: string; note: string },
): string {
  return documentOf(
    "Samplix – Sign in",
    `body{background:#fff}main{flex:1;display:flex}aside{width:46%;background:${color};color:#fff;padding:64px 60px;
display:flex;flex-direction:column;justify-content:space-between}aside b{font-size:27px}aside h1{font-size:44px}
aside div{display:grid;grid-template-columns:repeat(6,1fr);gap:12px}aside i{height:54px;border-radius:8px;background:#fff3}
aside i:nth-child(3n){background:#fff8}form{width:400px;margin:auto}h2{font-size:27px;margin-bottom:6px}
form p{color:#5a6572;margin-bottom:24px;font-size:15px}button{background:${color}}`,
    `<main><aside><b>◍ samplix</b><h1>Open data,<br>shared by everyone</h1><div>${"<i></i>".repeat(18)}</div></aside>
<form><h2>${heading}</h2><p>${note}</p>${fields}<button>Continue</button></form></main>`,
  );
}

/** Pages by the name of their screenshot. */
export const demoPages: Readonly<Record<string, DemoPage>> = {
  "bank-original": {
    html: bank(
      "#123f78",
      { ...welcome, formTitle: "Sign in", fields: signIn, button: "Sign in", note: "Forgot your password?" },
      bankLinks,
    ),
  },
  "bank-password": {
    original: "bank-original",
    html: bank(
      "#164681",
      {
        ...welcome,
        formTitle: "Sign in",
        fields: signIn,
        button: "Sign in",
        note: "Your account is limited until you sign in.",
      },
      "<span>Accounts</span><span>Cards</span><span>Help</span>",
    ),
  },
  "bank-pin": {
    original: "bank-original",
    html: bank(
      "#123f78",
      {
        heading: "Confirm your<br>new device",
        text: "A device that we do not know has signed in.",
        formTitle: "Security check",
        fields: field("Customer number") + field("PIN", "password") + field("TAN from your phone"),
        button: "Confirm",
        note: "You have 10 minutes.",
      },
      bankLinks,
    ),
  },
  "bank-card": {
    original: "bank-original",
    html: bank(
      "#0e3a70",
      {
        heading: "Your refund<br>is ready",
        text: "Enter the card to which we may pay € 214.90.",
        formTitle: "Refund to card",
        fields: `${field("Name on card")}${field("Card number")}<div class="row">${field("Valid until")}${field("CVC")}</div>`,
        button: "Request refund",
        note: "Reference 88-2041-7",
      },
      bankLinks,
    ),
  },
  "shop-original": {
    html: shop("#b4432a", {
      cart,
      form: `${delivery}<button>Continue to payment</button>`,
    }),
  },
  "shop-card": {
    original: "shop-original",
    html: shop("#b4432a", {
      cart,
      form: `<h2 style="background:#fbe3dc;padding:10px 14px;border-radius:8px">Confirm your card</h2>${field("Name on card")}${field("Card number")}<div class="row">${field("Valid until")}${field("CVC")}</div>
<button>Pay € 126.40</button><p style="padding-top:16px"><small>Your last payment was declined. If you do not confirm your card within
30 minutes, your order will be canceled and the amount stays reserved.</small></p>`,
    }),
  },
  "shop-password": {
    original: "shop-original",
    html: shop("#a83f28", {
      cart,
      form: `<h2>Sign in to Example Shop</h2>${field("Email address")}${field("Password", "password")}
<button>Sign in</button><p><small>Your order is on hold until you sign in.</small></p>`,
    }),
  },
  "samplix-original": {
    html: samplix("#1f6f54", {
      heading: "Sign in",
      note: "New here? Create an account.",
      fields: field("Email address") + field("Password", "password"),
    }),
  },
  "samplix-password": {
    original: "samplix-original",
    html: samplix("#226f56", {
      heading: "Sign in to Samplix",
      note: "Your session has expired.",
      fields: field("Email address") + field("Password", "password"),
    }),
  },
  unrelated: {
    html: documentOf(
      "Harbor Street Ceramics",
      `body{background:#f4efe6}header{padding:28px 80px;font:italic 26px "DejaVu Serif",serif}main{display:grid;flex:1;
grid-template-columns:repeat(3,1fr);gap:28px;padding:10px 80px 60px}h1{grid-column:1/4;font:44px "DejaVu Serif",serif}
figure{background:#fff;border-radius:4px;padding:16px}figure i{display:block;height:260px;border-radius:50% 50% 8px 8px}
figcaption{padding-top:14px;font-family:"DejaVu Serif",serif}`,
      `<header>Harbor Street Ceramics</header><main><h1>Bowls, made by hand since 1987</h1>
${[
  ["#6d8b96", "Tea bowl, blue glaze"],
  ["#b98a5f", "Bread plate"],
  ["#7b7d5b", "Large vase"],
]
  .map(
    ([color, name]) => `<figure><i style="background:${color}"></i><figcaption>${name}</figcaption></figure>`,
  )
  .join("")}</main>`,
    ),
  },
  parked: {
    html: documentOf(
      "This domain is for sale",
      `body{background:#fff;align-items:center;padding-top:90px}h1{font-size:34px;margin-bottom:8px}
main{width:760px;display:grid;gap:14px;margin-top:44px}main b{display:block;background:#eef4ff;border-left:5px solid #3b6fd8;
padding:22px 26px;font-size:19px;color:#2450a8}footer{margin-top:60px;color:#7b8591;font-size:13px}
button{width:220px;background:#2b8a4b;margin-top:22px}`,
      `<h1>This domain is for sale</h1><p>Make an offer to its owner.</p><button>Get the price</button>
<main><b>Online banking comparison ›</b><b>Savings accounts ›</b><b>Credit cards without a fee ›</b></main>
<footer>Sponsored listings. </footer>`,
    ),
  },
  blocked: {
    html: documentOf(
      "Account suspended",
      `body{background:#7a1420;color:#fff;align-items:center;justify-content:center}main{width:720px}
h1{font-size:40px;margin:18px 0}p{font-size:18px;opacity:.92}i{display:block;width:74px;height:74px;border-radius:50%;
border:7px solid #fff;font:700 44px/58px "DejaVu Sans",sans-serif;text-align:center}footer{margin-top:44px;font-size:13px;opacity:.8}`,
      `<main><i>!</i><h1>Suspected phishing</h1><p>This account has been suspended, because its site was reported for
imitating another company. If you entered data here, change your password.</p><footer>Northwind Hosting · Trust and safety</footer></main>`,
    ),
  },
  empty: { html: documentOf("", "body{background:#fff}", "") },
};
