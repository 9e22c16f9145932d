import { openBrowser } from "../../test/support/browser.ts";
import { quantile } from "./statistics.ts";

const presses = 40;

/** Records, for each key press, the time until the panel with another threat has been drawn. */
const record = `void (() => {
  window.took = [];
  let pressedAt = 0;
  addEventListener("keydown", () => (pressedAt = performance.now()), { capture: true });
  const drawn = () => {
    const from = pressedAt;
    const { port1, port2 } = new MessageChannel();
    // After the next frame.
    port1.onmessage = () => window.took.push(performance.now() - from);
    requestAnimationFrame(() => port2.postMessage(null));
  };
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes }) => [...addedNodes].some(({ id }) => id === "panel"))) drawn();
  }).observe(document.querySelector(".split"), { childList: true });
})()`;

/** Returns the times from a key press to the next threat on the screen, in milliseconds, for each key. */
export async function measureKeys(url: string): Promise<{ key: string; p50Ms: number; p95Ms: number }[]> {
  const browser = await openBrowser();
  try {
    await browser.signIn(url);
    await browser.open(`${url}/console/threats?group=none`);
    await browser.until(`document.readyState === "complete" && document.querySelector("[data-row]")`);
    await browser.evaluate(record);
    for (const key of ["j", "o"]) await browser.press(key);
    await browser.until("took.length > 0");
    const results = [];
    for (const [key, name] of [
      ["j", "next threat (j)"],
      ["r", "resolve, then next threat (r)"],
    ] as const) {
      await browser.evaluate("void (took.length = 0)");
      for (let press = 1; press <= presses; press++) {
        await browser.press(key);
        await browser.until(`took.length >= ${press}`);
        // People look at a threat before they press the next key.
        await Bun.sleep(200);
      }
      const times = Float64Array.from(await browser.evaluate<number[]>("took")).sort();
      results.push({ key: name, p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) });
    }
    return results;
  } finally {
    browser.close();
  }
}
