// Looked up before anything else is loaded. CommonJS and old syntax, so that any Node can run it.

/** What is too old for `engines` in package.json: below 20.19, 21, and 22 below 22.12. */
function isTooOld(version) {
  var parts = version.split('.').map(Number);
  var major = parts[0];
  var minor = parts[1];
  return major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12);
}

/** Returns what to say about this Node, or null when it will do. */
exports.nodeProblem = function nodeProblem(version) {
  if (!isTooOld(version)) return null;
  return (
    'Burgee needs Node.js 20.19 or later, or 22.12 or later; this is ' +
    version +
    ' (' +
    process.execPath +
    ').\nInstall a newer one from https://nodejs.org/ and try again.'
  );
};
