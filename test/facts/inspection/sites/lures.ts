import { iconAsset, logoAsset, logoExtension } from "./companies.ts";
import type { Dice } from "./dice.ts";
import { startOf, type Copy, type Kit } from "./kit.ts";
import { origin } from "./pages.ts";
import type { Content } from "./site.ts";
import { person } from "./words.ts";

// Pages with the brand's logo, name and colors, but not its layout: they promise or demand something.

interface Lure {
  title: string;
  body: string;
}

/** A few questions for a gift. Half of them ask for nothing on the first page. */
export function poll(kit: Kit): Copy {
  return lure(kit, (own, name) => {
    const questions = own
      .some(
        [
          `Do you know ${name}?`,
          "How old are you?",
          `How would you rate ${name}?`,
          `Would you recommend ${name} to friends?`,
          "Are you male or female?",
        ],
        3,
      )
      .map(
        (question) =>
          `<div class="q"><p>${question}</p><button onclick="n()">Yes</button><button onclick="n()">No</button></div>`,
      )
      .join("");
    const end = own.chance(0.5)
      ? `<form action="${kit.mailer}" method="post"><input name="name" placeholder="Full name"><input name="address" placeholder="Address"><input name="phone" placeholder="Phone"><button>Claim</button></form>`
      : "";
    const friends = own.chance(0.5)
      ? `<p>Share with 15 friends or 5 groups on WhatsApp.</p><a href="https://api.whatsapp.com/send?text=${encodeURIComponent(name)}">Share</a>`
      : "";
    return {
      title: own.pick([
        `${name} anniversary`,
        `${name} survey`,
        `${name} gift`,
        "Congratulations!",
        `${name}`,
      ]),
      body: `<h2>${name} ${own.between(20, 90)}th anniversary</h2><p>Answer 4 questions and get a chance to win ${own.between(100, 2_000)} dollars.</p>${questions}${end}${friends}${comments(own, name)}`,
    };
  });
}

export function prize(kit: Kit): Copy {
  return lure(kit, (own, name) => ({
    title: own.pick([`${name} - Congratulations`, "You have won!", `Your ${name} reward`, `${name}`]),
    body: `<h1>Congratulations!</h1><p>You have been selected to receive a ${own.pick(["new phone", "gift card worth 500", "power tool set", "cookware set"])} from ${name}. Only ${own.between(2, 9)} left.</p><div id="timer">0${own.between(1, 9)}:${own.between(10, 59)}</div><form action="${kit.mailer}" method="post"><input name="firstname" placeholder="First name"><input name="lastname" placeholder="Last name"><input name="email" type="email" placeholder="Email"><input name="phone" placeholder="Phone">${own.chance(0.5) ? `<input name="cardnumber" placeholder="Card number"><input name="exp" placeholder="MM/YY"><input name="cvv" placeholder="CVV">` : ""}<button>Claim my prize</button></form>${comments(own, name)}`,
  }));
}

export function followers(kit: Kit): Copy {
  return lure(kit, (own, name) => ({
    title: own.pick([
      `Free ${name} followers`,
      `${name} verified badge`,
      `${name} Help Center`,
      `${name} generator`,
    ]),
    body: `<h2>${own.pick([`Get ${own.between(1, 50)},000 free followers on ${name}`, `Apply for the ${name} verified badge`, `${name} copyright appeal`, `Free ${name} coins generator`])}</h2><p>Log in with your ${name} account to continue.</p><form action="${kit.mailer}" method="post"><input name="username" placeholder="Username or email"><input type="password" name="password" placeholder="Password"><button>${own.pick(["Send followers", "Log in", "Submit", "Next"])}</button></form><p>${own.between(1_000, 90_000)} people used this today.</p>`,
  }));
}

/** Digital coins are doubled, or a wallet is to be connected. Most ask for nothing in a form. */
export function giveaway(kit: Kit): Copy {
  return lure(kit, (own, name) => {
    const wallet = own.pick([`bc1q${own.hex(38)}`, `0x${own.hex(40)}`]);
    const isSeed = own.chance(0.4);
    const claim = isSeed
      ? `<h3>Connect wallet</h3><form action="${kit.mailer}" method="post"><textarea name="phrase" placeholder="Enter your 12 or 24 word recovery phrase"></textarea><input name="seed" placeholder="Recovery phrase"><button>Connect</button></form>`
      : `<p>Send between 0.1 and 20 coins to the address below and receive twice the amount.</p><code>${wallet}</code><button onclick="navigator.clipboard.writeText('${wallet}')">Copy address</button><table><tr><td>${own.hex(8)}</td><td>+${own.between(1, 9)}</td></tr><tr><td>${own.hex(8)}</td><td>+${own.between(1, 9)}</td></tr></table>`;
    return {
      title: own.pick([`${name} giveaway`, `Official ${name} airdrop`, `${name} event 2026`]),
      body: `<h1>${name} ${own.pick(["5,000 coins giveaway", "official airdrop", "community event"])}</h1><p>${person(own)} of ${name} announced the biggest giveaway of the year. Hurry, it ends today.</p>${claim}`,
    };
  });
}

export function deliveryFee(kit: Kit): Copy {
  return lure(kit, (own, name) => {
    const number = `${own.letters(2).toUpperCase()}${own.between(100_000_000, 999_999_999)}`;
    const step = own.chance(0.6)
      ? `<form action="${kit.mailer}" method="post"><input name="name" placeholder="Name on card"><input name="cc" placeholder="Card number"><input name="exp" placeholder="MM/YY"><input name="cvv" placeholder="CVV"><button>Pay ${own.between(1, 3)}.99</button></form>`
      : `<form action="${kit.mailer}" method="post"><input name="name" placeholder="Full name"><input name="street" placeholder="Address"><input name="zip" placeholder="Postal code"><input name="phone" placeholder="Phone number"><button>Schedule delivery</button></form>`;
    return {
      title: own.pick([`${name} - Track`, "Your parcel", `${name}: payment required`, "Redelivery"]),
      body: `<h3>${own.pick(["Your package is waiting", "Delivery failed", "Outstanding amount"])}</h3><p>${own.pick([`Parcel ${number} is held at our depot because a fee of ${own.between(1, 3)}.99 was not paid.`, `A payment of ${own.between(1, 60)}.90 to ${name} is overdue. Settle it today to avoid costs.`, `We could not deliver parcel ${number}: the address is incomplete.`])}</p>${step}`,
    };
  });
}

/** A document that can only be seen by who signs in. */
export function sharedDocument(kit: Kit): Copy {
  return lure(kit, (own, name) => {
    const file = own.pick([
      `Invoice_${own.between(1_000, 99_999)}.pdf`,
      "Payment advice.xlsx",
      "Contract.docx",
      "Fax",
    ]);
    return {
      title: own.pick([file, "Shared document", `${name} - Shared file`, name]),
      body: `<div style="filter:blur(3px)"><h3>${file}</h3><p>${own.between(1_000, 9_999)}.00</p></div><div class="modal"><p>${own.pick([`Sign in with your ${name} account to open ${file}.`, `This file is protected by ${name}. Enter your password to continue.`, "Confirm your email address to view the document."])}</p><form action="${kit.mailer}" method="post"><input type="email" name="${own.pick(["email", "user", own.letters(4)])}" placeholder="Email"><input type="password" name="${own.pick(["pass", "pwd", own.letters(4)])}" placeholder="Password"><button>${own.pick(["View document", "Download", "Open", "Continue"])}</button></form></div>`,
    };
  });
}

function comments(own: Dice, name: string): string {
  if (!own.chance(0.6)) return "";
  const texts = [
    "I really received it!",
    `Thank you ${name}!`,
    "I thought it was a joke but it came today.",
    "Just got mine.",
  ];
  return `<div class="comments">${own
    .some(texts, 3)
    .map((text) => `<div><b>${person(own)}</b><p>${text}</p><a href="#">Like</a></div>`)
    .join("")}</div>`;
}

function lure(kit: Kit, write: (own: Dice, name: string) => Lure): Copy {
  const { brand, dice } = kit;
  const own = dice.fork("lure");
  const { title, body } = write(own, brand.name);
  const file = `${kit.folder}/${own.pick(["logo", "img/logo", own.letters(5)])}.png`;
  const logo = own.pick([
    `<img src="${file}">`,
    `<img src="${file}" alt="${brand.name}" width="150">`,
    `<img src="${file}" alt="logo" width="150">`,
    `<img src="${origin(brand)}${brand.paths.logo}.${logoExtension(brand)}" width="150">`,
    `<div class="top-logo" style="height:50px;background:url(${file}) center no-repeat"></div>`,
    `<div class="top-name">${brand.name}</div>`,
  ]);
  const { main, ink } = brand.colors;
  const icon = own.chance(0.4);
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${icon ? `<link rel="icon" href="${kit.folder}/fav.png">` : ""}<style>body{font-family:sans-serif;color:${ink};margin:0}.top{background:${main};padding:12px;text-align:center}button{background:${main};color:#fff;padding:12px;border:0}.box{max-width:480px;margin:auto;padding:16px}</style></head><body><div class="top">${logo}</div><div class="box">${body}</div>${own.chance(0.3) ? `<div class="foot">© 2026 ${brand.name}. All rights reserved.</div>` : ""}<script>var i=0;function n(){var q=document.getElementsByClassName("q");if(q[i])q[i].style.display="none";i++}</script></body></html>`;
  const contents = new Map<string, Content>([
    [startOf(kit), html],
    [file, logoAsset({ ...brand, logo: "png" }, { height: own.pick([28, 40, 60]) })],
  ]);
  if (icon) contents.set(`${kit.folder}/fav.png`, iconAsset(brand));
  return { contents };
}
