/** What is put into a page so that it reports when it is shown elsewhere. */

/** More would not fit into 1 KB; the server knows them all, so that a page on one of the others costs a request. */
const namesMax = 22;
const urlLengthMax = 1_500;
const referrerLengthMax = 500;

/**
 * Two multiplicative hashes of 32 bits side by side. No secret is kept by it: it stands in the page so that a
 * copier who puts his own name in the place of the owner's throughout the page does not switch the beacon off.
 */
function hashName(salt: string, name: string): string {
  let [a, b] = [7, 13];
  for (const character of salt + name) {
    a = Math.imul(a ^ character.charCodeAt(0), 0x9e3779b1);
    b = Math.imul(b ^ character.charCodeAt(0), 0x5f356495);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/**
 * The script, without its tags: one request, and none where the page's host or a name above it is allowed. A
 * `fetch` and not an image: an image would hold up the page's `load` event, and send cookies. ES5 but for `fetch`,
 * without which nothing happens; every error ends in silence.
 *
 * @param own names on which the page may be shown, with all below them; A-labels.
 */
export function beaconScript(beaconUrl: string, own: readonly string[]): string {
  const hashes = own.slice(0, namesMax).map((name) => hashName(beaconUrl, name));
  return (
    `!function(k,o){try{var l=location,p=l.hostname.replace(/\\.$/,"").split("."),e=encodeURIComponent;` +
    `for(;p.length;p.shift()){for(var a=7,b=13,i=0,t=k+p.join(".");i<t.length;i++){var c=t.charCodeAt(i);` +
    `a=Math.imul(a^c,0x9e3779b1);b=Math.imul(b^c,0x5f356495)}` +
    `if(o.indexOf((a>>>0).toString(36)+(b>>>0).toString(36))>=0)return}` +
    `fetch(k+"?u="+e(l.href.slice(0,${urlLengthMax}))+"&r="+e(document.referrer.slice(0,${referrerLengthMax})),` +
    `{mode:"no-cors",credentials:"omit",keepalive:true,referrerPolicy:"unsafe-url"})["catch"](function(){})` +
    `}catch(e){}}(${JSON.stringify(beaconUrl)},${JSON.stringify(hashes)})`
  );
}

export interface BeaconSnippets {
  /** A `<script>` element. */
  script: string;
  /** An element that shows nothing and has a background picture: for pages without scripts. */
  style: string;
  /** Lets the script through a Content-Security-Policy of the page: for `script-src`. */
  scriptHash: string;
}

export function beaconSnippets(beaconUrl: string, own: readonly string[]): BeaconSnippets {
  const script = beaconScript(beaconUrl, own);
  return {
    script: `<script>${script}</script>`,
    style: `<i aria-hidden="true" style="position:absolute;width:1px;height:1px;background:url(${beaconUrl}.gif)"></i>`,
    scriptHash: `'sha256-${Bun.SHA256.hash(script, "base64")}'`,
  };
}
