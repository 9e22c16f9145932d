/**
 * Opens a page that tries to make the browser contact private addresses, in a network namespace of its own: the page is
 * at a global address, and every other address responds like a private server. Prints the requests that reached those.
 */
import net from "node:net";
import { createBrowser } from "../../src/facts/lookups/browser/chromium.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { webAddress } from "./small-world-cases.ts";

const { chromium, args, folder } = JSON.parse(process.argv[2]!) as {
  chromium: string;
  args: string[];
  folder: string;
};
/** A global address of the machine itself; that of the page belongs to no interface. */
const ownAddress = "192.0.0.10";
const inside = ["127.0.0.1", "10.0.0.1", "169.254.169.254", ownAddress];
for (const command of [
  ["link", "set", "lo", "up"],
  // WebRTC ignores an interface that is only loopback.
  ["link", "add", "outside", "type", "veth", "peer", "name", "beyond"],
  ...inside.slice(1).map((address) => ["addr", "add", `${address}/32`, "dev", "outside"]),
  ["route", "add", "local", `${webAddress}/32`, "dev", "lo"],
  ["link", "set", "beyond", "up"],
  ["link", "set", "outside", "up"],
  ["route", "add", "default", "dev", "outside"],
])
  if (Bun.spawnSync(["ip", ...command]).exitCode !== 0) throw new Error(`ip ${command.join(" ")}`);

const trapPort = 8_443;
const reached: string[] = [];
const listening: Promise<unknown>[] = [];
for (const address of [...inside, "::1"])
  for (const port of [trapPort, 80, 443]) {
    const trap = net.createServer((socket) => {
      reached.push(`tcp ${address}:${port}`);
      socket.destroy();
    });
    listening.push(new Promise((resolve) => trap.listen(port, address, () => resolve(undefined))));
    listening.push(
      Bun.udpSocket({
        hostname: address,
        port,
        socket: { data: () => void reached.push(`udp ${address}:${port}`) },
      }),
    );
  }
await Promise.all(listening);

const hits: string[] = [];
const serverWorker = `self.addEventListener("install", () => fetch("http://127.0.0.1:${trapPort}/worker", { mode: "no-cors" }).catch(() => {}))`;
const attacks = (host: string) => `try {
  for (const scheme of ["http", "https"]) {
    new Image().src = scheme + "://${host}:${trapPort}/image";
    fetch(scheme + "://${host}:${trapPort}/fetch", { mode: "no-cors" }).catch(() => {});
    navigator.sendBeacon(scheme + "://${host}:${trapPort}/beacon", "x");
  }
  for (const scheme of ["ws", "wss"]) try { new WebSocket(scheme + "://${host}:${trapPort}/") } catch {}
  try { new EventSource("http://${host}:${trapPort}/events") } catch {}
  try { new WebTransport("https://${host}:${trapPort}/") } catch {}
  for (const urls of ["stun:${host}:${trapPort}", "turn:${host}:${trapPort}?transport=udp", "turn:${host}:${trapPort}?transport=tcp", "turns:${host}:${trapPort}?transport=tcp"]) try {
    const peer = new RTCPeerConnection({ iceServers: [{ urls, username: "x", credential: "x" }] });
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    peer.addIceCandidate({ candidate: "candidate:1 1 udp 2130706431 ${host} ${trapPort} typ host", sdpMid: "0" }).catch(() => {});
  } catch {}
  window.open("http://${host}:${trapPort}/open");
  for (const rel of ["preconnect", "dns-prefetch", "prefetch", "prerender", "preload", "manifest", "icon"]) {
    const link = document.createElement("link");
    Object.assign(link, { rel, href: "http://${host}:${trapPort}/" + rel, as: "image" });
    document.head.append(link);
  }
  const frame = document.createElement("iframe");
  frame.src = "http://${host}:${trapPort}/frame";
  document.body.append(frame);
  } catch (error) { fetch("/error?" + error) }`;
const page = `<title>hostile</title><link rel="preconnect" href="http://127.0.0.1:${trapPort}"><body><h1 style="background:#a31">seen</h1><div style="height:2000000px"></div>
  <img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe>
  <meta http-equiv="x-dns-prefetch-control" content="on">
  <script>${[...inside, "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0", "inside.example"].map(attacks).join("\n")}
  navigator.serviceWorker?.register("/worker.js").catch(() => {});
  navigator.geolocation?.getCurrentPosition(() => {});
  Notification.requestPermission?.();
  const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["MZ"])); a.download = "x.exe"; document.body.append(a); a.click();
  for (const at of ["mailto:x@y", "tel:1", "ssh://127.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd"]) { const i = document.createElement("iframe"); i.src = at; document.body.append(i); }
  fetch("/script-ran");
  alert("first"); confirm("second"); prompt("third"); setTimeout(print, 100);
  window.onbeforeunload = () => "stay";
  </script></body>`;
Bun.serve({
  hostname: webAddress,
  port: 80,
  fetch(request) {
    const { pathname } = new URL(request.url);
    hits.push(pathname);
    if (pathname === "/worker.js")
      return new Response(serverWorker, { headers: { "content-type": "text/javascript" } });
    if (pathname === "/memory")
      return html(
        "<script>const kept = []; while (kept.length < 40) kept.push(new Uint8Array(1e8).fill(1))</script>",
      );
    return html(page);
  },
});
const html = (body: string) => new Response(body, { headers: { "content-type": "text/html" } });

const asked: string[] = [];
const browser = createBrowser({
  chromium: { path: chromium, args },
  clock: systemClock,
  log: createLog({
    level: "error",
    format: "json",
    clock: systemClock,
    write: (line) => void process.stderr.write(line),
  }),
  rules: { allowPrivateNetworks: false },
  resolveHost: async (name) => {
    asked.push(name);
    return [name === "inside.example" ? "10.0.0.1" : webAddress];
  },
  profileFolder: folder,
});
const { signal } = new AbortController();
const first = await browser.takeScreenshot("http://examp1e-bank.com/", signal);
const second = await browser.takeScreenshot("http://examp1e-bank.com/memory", signal);
const after = await browser.takeScreenshot("http://examp1e-bank.com/", signal);
browser.close();
const describeCapture = (capture: typeof first) =>
  capture.ok ? { ok: true, url: capture.url, bytes: capture.webp.length } : capture;
process.stdout.write(
  JSON.stringify({
    reached: [...new Set(reached)],
    hits: [...new Set(hits)],
    asked: [...new Set(asked)],
    captures: [first, second, after].map(describeCapture),
  }),
);
process.exit(0);
