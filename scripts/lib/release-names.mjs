/**
 * The names under which Burgee is published. Until `published` is true, no page tells users to install by them, and
 * nothing is published: others could claim a name that is not ours yet.
 */
export const releaseNames = {
  published: false,
  /** On GitHub: owner and name. */
  repository: 'burgee/burgee',
  server: 'burgee',
  client: 'burgee-client',
  image: 'burgee',
  /** Where the image is published. */
  registry: 'ghcr.io/burgee',
};

/** What a published package says about where it comes from. npm compares it with the provenance. */
export function publishedFields() {
  const { published, repository } = releaseNames;
  if (!published) return {};
  const url = `https://github.com/${repository}`;
  return { homepage: url, repository: { type: 'git', url: `git+${url}.git` } };
}
