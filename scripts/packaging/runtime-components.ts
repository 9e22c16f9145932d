import { projectPackage } from "./source.ts";

/** Software that is part of the Bun runtime, and with it of the executable. */
export interface RuntimeComponent {
  name: string;
  /** SPDX identifiers. */
  licenses: string[];
  source: string;
}

export const bunVersion = projectPackage.engines.bun;

/** Bun and the libraries that it links, as Bun's license file lists them. */
export const runtimeComponents: readonly RuntimeComponent[] = [
  component("bun", "MIT", "https://github.com/oven-sh/bun"),
  component("JavaScriptCore and WebCore", "LGPL-2.0-or-later", "https://github.com/oven-sh/WebKit"),
  component("acorn, Node.js polyfills", "MIT", "https://github.com/oven-sh/bun"),
  component("base64", "BSD-2-Clause", "https://github.com/aklomp/base64"),
  component("BoringSSL", ["Apache-2.0", "ISC", "OpenSSL"], "https://boringssl.googlesource.com/boringssl"),
  component("brotli", "MIT", "https://github.com/google/brotli"),
  component("c-ares", "MIT", "https://github.com/c-ares/c-ares"),
  component("esbuild (ported)", "MIT", "https://github.com/evanw/esbuild"),
  component("highway", "Apache-2.0", "https://github.com/google/highway"),
  component("ICU", "Unicode-3.0", "https://github.com/unicode-org/icu"),
  component("libarchive", "BSD-2-Clause", "https://github.com/libarchive/libarchive"),
  component("libc++abi (part; LLVM exception)", "Apache-2.0", "https://github.com/llvm/llvm-project"),
  component("libdeflate", "MIT", "https://github.com/ebiggers/libdeflate"),
  component(
    "libjpeg-turbo",
    ["IJG", "BSD-3-Clause", "Zlib"],
    "https://github.com/libjpeg-turbo/libjpeg-turbo",
  ),
  component("libspng", "BSD-2-Clause", "https://github.com/randy408/libspng"),
  component("libuv (Windows)", "MIT", "https://github.com/libuv/libuv"),
  component("libwebp", "BSD-3-Clause", "https://github.com/webmproject/libwebp"),
  component("lol-html", "BSD-3-Clause", "https://github.com/cloudflare/lol-html"),
  component("ls-hpack", "MIT", "https://github.com/litespeedtech/ls-hpack"),
  component("ls-qpack", "MIT", "https://github.com/litespeedtech/ls-qpack"),
  component("lsquic", ["MIT", "BSD-3-Clause"], "https://github.com/litespeedtech/lsquic"),
  component("mimalloc", "MIT", "https://github.com/microsoft/mimalloc"),
  component("picohttpparser", "MIT", "https://github.com/h2o/picohttpparser"),
  component("simdutf", "Apache-2.0", "https://github.com/simdutf/simdutf"),
  component("TigerBeetle (part)", "Apache-2.0", "https://github.com/tigerbeetle/tigerbeetle"),
  component("TinyCC", "LGPL-2.1-or-later", "https://github.com/TinyCC/tinycc"),
  component("uSockets and uWebSockets", "Apache-2.0", "https://github.com/uNetworking/uWebSockets"),
  component("uucode", "MIT", "https://github.com/jacobsandlund/uucode"),
  component("zlib-ng", "Zlib", "https://github.com/zlib-ng/zlib-ng"),
  component("zstd", "BSD-3-Clause", "https://github.com/facebook/zstd"),
];

function component(name: string, licenses: string | string[], source: string): RuntimeComponent {
  return { name, licenses: [licenses].flat(), source };
}
