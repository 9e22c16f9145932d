import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { unpackDeb } from "../image/base.ts";
import { fetchDebianPackage } from "../image/debian-packages.ts";
import { NotRunnable, requirePrograms, run } from "./environment.ts";

const muslPackage = {
  name: "musl",
  version: "1.2.5-3.1~deb13u1",
  architecture: "amd64",
  sha256: "fd4231e1c189c0ebe01182747f83817593fefa7f6b690c484410646288b60058",
};

/**
 * Makes a root folder with musl, the C++ library and an executable for x64, as small systems have them.
 * @throws NotRunnable if this user or machine cannot enter it
 */
export async function makeMuslRoot(root: string, executable: string): Promise<string> {
  requirePrograms({ gcc: "gcc", "g++": "g++", nm: "binutils", unshare: "util-linux" });
  if (process.getuid?.() !== 0) throw new NotRunnable("a root folder can be entered by root only");
  const unpacked = `${root}-packages`;
  for (const folder of [unpacked, join(root, "lib"), join(root, "usr/bin")])
    mkdirSync(folder, { recursive: true });
  unpackDeb(await fetchDebianPackage(muslPackage), unpacked);
  const libc = join(unpacked, "usr/lib/x86_64-linux-musl/libc.so");
  copyFileSync(libc, join(root, "lib/ld-musl-x86_64.so.1"));
  symlinkSync("ld-musl-x86_64.so.1", join(root, "lib/libc.musl-x86_64.so.1"));
  linkCxxLibrary({ executable, libc, output: join(root, "lib/libstdc++.so.6") });
  copyFileSync(executable, join(root, "usr/bin/phishwatch"));
  return root;
}

/**
 * Debian has no C++ library for musl. This links one from the static library for glibc, with the parts that the
 * executable needs and replacements for four functions of glibc.
 */
function linkCxxLibrary({
  executable,
  libc,
  output,
}: {
  executable: string;
  libc: string;
  output: string;
}): void {
  const inMusl = new Set(symbols(libc, "--defined-only"));
  // Hooks that the compiler and a library declare, and nobody defines.
  const optional = /^(_ITM_|ZSTD_trace_)|_frame_info$/;
  const needed = symbols(executable, "--undefined-only").filter(
    (name) => !inMusl.has(name) && !optional.test(name),
  );
  const fileOf = (compiler: string, name: string) => run([compiler, `-print-file-name=${name}`]).trim();
  const replacements = `${output}.o`;
  run(["gcc", "-O1", "-fPIC", "-c", join(import.meta.dir, "cxx-for-musl.c"), "-o", replacements]);
  run([
    "gcc",
    "-shared",
    "-nostdlib",
    "-Wl,-soname,libstdc++.so.6",
    `-o${output}`,
    fileOf("gcc", "crtbeginS.o"),
    ...needed.map((name) => `-Wl,-u,${name}`),
    // The executable refers to it through other type information only.
    "-Wl,-u,_ZTVN10__cxxabiv121__vmi_class_type_infoE",
    replacements,
    fileOf("g++", "libstdc++.a"),
    fileOf("gcc", "libgcc_eh.a"),
    fileOf("gcc", "libgcc.a"),
    fileOf("gcc", "crtendS.o"),
  ]);
}

/** Returns the names of dynamic symbols without their versions. */
function symbols(file: string, kind: "--defined-only" | "--undefined-only"): string[] {
  return run(["nm", "-D", kind, file])
    .split("\n")
    .map((line) => line.trim().split(" ").at(-1)!.replace(/@.*/, ""))
    .filter((name) => name !== "");
}
