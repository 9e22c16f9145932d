/** One benchmark with its options, as `scripts/bench all` and `scripts/bench gate` run it. */
export interface Step {
  /** Identifier of its figures. */
  id: string;
  /** Benchmark below `scripts/benchmarks`. */
  benchmark: string;
  options: string;
  /** Options of a quick run. */
  quick: string;
  /** Runs of the whole benchmark, for one that measures once. */
  runs?: number;
  /** Indicates that it reads the lists of the options `--names` and `--brands`, if given, or that it needs one. */
  lists?: "optional" | "required";
  timeoutMinutes: number;
}

/** The largest sizes come last, so that a run that is interrupted has measured everything else. */
export const steps: readonly Step[] = [
  {
    id: "programs",
    benchmark: "compare",
    options: "--runs 5",
    quick: "--runs 3 --count 200000",
    lists: "optional",
    timeoutMinutes: 8,
  },
  {
    id: "growth",
    benchmark: "detection",
    options: "--rounds 5",
    quick: "--rounds 3 --count 200000",
    timeoutMinutes: 5,
  },
  {
    id: "growth with given lists",
    benchmark: "detection",
    options: "--rounds 5",
    quick: "--rounds 3",
    lists: "required",
    timeoutMinutes: 5,
  },
  { id: "start", benchmark: "start", options: "--runs 21", quick: "--runs 7", timeoutMinutes: 3 },
  {
    id: "api",
    benchmark: "api",
    options: "--threats 1000000 --rounds 5",
    quick: "--threats 100000 --rounds 3",
    timeoutMinutes: 10,
  },
  {
    id: "fetch loop",
    benchmark: "webhooks",
    options: "--only bare",
    quick: "--only bare",
    runs: 5,
    timeoutMinutes: 2,
  },
  {
    id: "deliveries",
    benchmark: "webhooks",
    options: "--only sustained --sustained 8000",
    quick: "--only sustained --sustained 2000",
    runs: 3,
    timeoutMinutes: 5,
  },
  {
    id: "protected domains",
    benchmark: "limits",
    options: "--threats= --domains 10,100,1000,10000 --lists= --names 200000",
    quick: "--threats= --domains 10,1000 --lists= --names 50000",
    timeoutMinutes: 12,
  },
  {
    id: "lists",
    benchmark: "limits",
    options: "--threats= --domains= --lists 1000000,10000000",
    quick: "--threats= --domains= --lists 100000,1000000",
    timeoutMinutes: 4,
  },
  {
    id: "pending deliveries",
    benchmark: "webhooks",
    options: "--only pending --pending 10000000",
    quick: "--only pending --pending 100000",
    timeoutMinutes: 15,
  },
  {
    id: "threats",
    benchmark: "limits",
    options: "--threats 100000,1000000 --domains= --lists= --requests 100",
    quick: "--threats 100000 --domains= --lists= --requests 20",
    timeoutMinutes: 8,
  },
  {
    id: "most threats",
    benchmark: "limits",
    options: "--threats 5000000 --domains= --lists= --requests 100",
    quick: "--threats 200000 --domains= --lists= --requests 20",
    timeoutMinutes: 20,
  },
];
