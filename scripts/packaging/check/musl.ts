import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { unpackDeb } from "../image/base.ts";
import { fetchDebianPackage } from "../image/debian-packages.ts";
import { requirePrograms, run } from "./environment.ts";

const version = "1.2.5-3.1~deb13u1";

/** Processors, with the names that the packages and programs of Debian use for them. */
const processors = {
  x64: {
    musl: {
      name: "musl",
      version,
      architecture: "amd64",
      pool: "m/musl",
      sha256: "fd4231e1c189c0ebe01182747f83817593fefa7f6b690c484410646288b60058",
      sha1: "d69cb80320535f4bcf59a1e7595c95ef0ce5ef99",
    },
    machine: "x86_64",
    prefix: "",
    packages: { gcc: "gcc", "g++": "g++", nm: "binutils" },
  },
  arm64: {
    musl: {
      name: "musl",
      version,
      architecture: "arm64",
      pool: "m/musl",
      sha256: "46cf1fcaa2d49d1573ef0ceabdb36e04a359a9a37d8e4304024f9018682e3f35",
      sha1: "24f09fea241708663978f69254151dc58a33696a",
    },
    machine: "aarch64",
    prefix: "aarch64-linux-gnu-",
    packages: { "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu" },
  },
} as const;

type Processor = keyof typeof processors;

/**
 * Makes a root folder with musl, the C++ library and an executable, as small systems have them.
 * @throws NotRunnable if a program is missing that links the C++ library
 */
export async function makeMuslRoot(root: string, executable: string, processor: Processor): Promise<string> {
  const { musl, machine, packages } = processors[processor];
  requirePrograms(packages);
  const unpacked = `${root}-packages`;
  for (const folder of [unpacked, join(root, "lib"), join(root, "usr/bin")])
    mkdirSync(folder, { recursive: true });
  unpackDeb(await fetchDebianPackage(musl), unpacked);
  const libc = join(unpacked, `usr/lib/${machine}-linux-musl/libc.so`);
  copyFileSync(libc, join(root, `lib/ld-musl-${machine}.so.1`));
  symlinkSync(`ld-musl-${machine}.so.1`, join(root, `lib/libc.musl-${machine}.so.1`));
  linkCxxLibrary({ executable, libc, output: join(root, "lib/libstdc++.so.6"), processor });
  copyFileSync(executable, join(root, "usr/bin/phishwatch"));
  return root;
}

/**
 * Debian has no C++ library for musl. This links one from the static library for glibc, with the parts that the
 * executable needs and replacements for a few functions of glibc.
 */
function linkCxxLibrary({
  executable,
  libc,
  output,
  processor,
}: {
  executable: string;
  libc: string;
  output: string;
  processor: Processor;
}): void {
  const { prefix } = processors[processor];
  const [gcc, nm] = [`${prefix}gcc`, `${prefix}nm`];
  const inMusl = new Set(symbols(nm, "--defined-only", libc));
  // Hooks that the compiler and a library declare, and nobody defines.
  const optional = /^(_ITM_|ZSTD_trace_)|_frame_info$/;
  const needed = symbols(nm, "--undefined-only", executable).filter(
    (name) => !inMusl.has(name) && !optional.test(name),
  );
  const fileOf = (compiler: string, name: string) => run([compiler, `-print-file-name=${name}`]).trim();
  const replacements = `${output}.o`;
  run([gcc, "-O1", "-fPIC", "-c", join(import.meta.dir, "cxx-for-musl.c"), "-o", replacements]);
  run([
    gcc,
    "-shared",
    "-nostdlib",
    "-Wl,-soname,libstdc++.so.6",
    `-o${output}`,
    fileOf(gcc, "crtbeginS.o"),
    ...needed.map((name) => `-Wl,-u,${name}`),
    // The executable refers to it through other type information only.
    "-Wl,-u,_ZTVN10__cxxabiv121__vmi_class_type_infoE",
    replacements,
    fileOf(`${prefix}g++`, "libstdc++.a"),
    fileOf(gcc, "libgcc_eh.a"),
    fileOf(gcc, "libgcc.a"),
    fileOf(gcc, "crtendS.o"),
  ]);
}

/** Returns the names of dynamic symbols without their versions. */
function symbols(nm: string, kind: "--defined-only" | "--undefined-only", file: string): string[] {
  return run([nm, "-D", kind, file])
    .split("\n")
    .map((line) => line.trim().split(" ").at(-1)!.replace(/@.*/, ""))
    .filter((name) => name !== "");
}
