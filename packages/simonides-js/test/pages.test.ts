// The examples of the pages compile.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const BLOCK = /^```ts\n(.*?)^```/gms;
const KNOWN = `
import { readFile, writeFile } from "node:fs/promises";
declare const query: string, signal: AbortSignal;
`;
const OPTIONS = ["--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext", "--types", "node"];

function compile(page: string): void {
  const blocks = [...readFileSync(page, "utf-8").matchAll(BLOCK)].map((found) => found[1]);
  assert.ok(blocks.length > 1);
  mkdirSync("build/pages", { recursive: true });
  writeFileSync("build/pages/page.ts", KNOWN + blocks.join("\n"));
  execFileSync("node_modules/.bin/tsc", [...OPTIONS, "build/pages/page.ts"], { stdio: ["ignore", "inherit", "inherit"] });
}

for (const page of ["README.md", "../../docs/how-to/typescript.md"]) {
  test(`the examples of ${page} compile`, () => compile(page));
}
