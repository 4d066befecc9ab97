// The command line's entry in a checkout. CommonJS and old syntax, so that any Node can say that it is too old.
var existsSync = require('node:fs').existsSync;
var join = require('node:path').join;
var nodeProblem = require('./node-version.cjs').nodeProblem;

var root = join(__dirname, '..');
var main = join(root, 'dist', 'server', 'main.js');
var problem = nodeProblem(process.versions.node);
if (problem === null && !(existsSync(main) && existsSync(join(root, 'node_modules')))) {
  problem = `burgee: not built yet. Run this first, in ${root}:\n\n  npm ci && npm run build\n`;
}
if (problem === null) {
  import(require('node:url').pathToFileURL(main).href).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
} else {
  console.error(problem);
  process.exitCode = 1;
}
