// Looked up before anything else is loaded. CommonJS and old syntax, so that any Node can run it.

/** Returns what to say about a version of Node, or null when it will do: `engines` in package.json. */
exports.nodeProblem = function nodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12)) return null;
  const why = major > 22 ? 'has no build of the HTTP server yet' : 'is too old';
  return `Burgee needs Node.js 20.19 or later, or 22.12 or later; Node.js ${version} ${why} (${process.execPath}).
Install one of those from https://nodejs.org/ and try again.`;
};
