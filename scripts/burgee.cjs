#!/usr/bin/env node
// The command line's entry in a checkout. CommonJS and old syntax, so that any Node can say that it is too old.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const { chooseNode, findPackage } = require('./choose-node.cjs');

chooseNode();
const root = join(__dirname, '..');
const main = join(root, 'dist', 'server', 'main.js');
if (existsSync(main) && findPackage('lmdb') !== undefined) {
  import(pathToFileURL(main).href).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
} else {
  console.error(`burgee: not built yet. Run this first, in ${root}:\n\n  npm run build\n`);
  process.exitCode = 1;
}
