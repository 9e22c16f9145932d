// A minimal Bun program: the baseline for the commands of phishwatch.
console.log("bare");
