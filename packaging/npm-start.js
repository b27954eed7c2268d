#!/usr/bin/env node
// Starts the program of the package of this platform, with the same arguments, streams and exit code.
"use strict";
const { spawnSync } = require("child_process");
const { rigview } = require("./package.json");

const name = `${rigview.scope}/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/rigview${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`rigview: the package ${name} is missing; install without --omit=optional, or there is none for this platform`);
  process.exit(5);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`rigview: ${program} can't be started: ${ended.error.message}`);
  process.exit(5);
}
// A shell reports a program that a signal ended in the same way.
if (ended.signal) process.kill(process.pid, ended.signal);
process.exit(ended.status ?? 5);
