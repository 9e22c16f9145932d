/** Code for a page that reports when the page is shown on another host. */

/** More would not fit into 1 KB. The server knows all of them, so a page on one of the others costs a request. */
const hashedHostsMax = 22;
const urlLengthMax = 1_500;
const referrerLengthMax = 500;

/**
 * Returns two multiplicative 32-bit hashes side by side. They keep no secret: they prevent a copier who replaces the
 * owner's name throughout the page from disabling the beacon.
 */
function hashHost(salt: string, host: string): string {
  let [a, b] = [7, 13];
  for (const character of salt + host) {
    a = Math.imul(a ^ character.charCodeAt(0), 0x9e3779b1);
    b = Math.imul(b ^ character.charCodeAt(0), 0x5f356495);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/**
 * Returns the script without its tags. It sends one request, and none if the page's host or a host above it is
 * allowed. It uses `fetch` because an image would delay the page's `load` event and send cookies. It is ES5 except
 * for `fetch`, does nothing where `fetch` is missing, and ignores every error.
 *
 * @param own hosts that may show the page, including all hosts below them; A-labels
 */
export function beaconScript(beaconUrl: string, own: readonly string[]): string {
  const hashes = own.slice(0, hashedHostsMax).map((host) => hashHost(beaconUrl, host));
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
  /** An invisible element with a background image, for pages without scripts. */
  style: string;
  /** Source expression for `script-src` that allows the script in a Content-Security-Policy. */
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
