/**
 * The names under which Burgee is published. Until `published` is true, no page tells users to install by them: others
 * could claim a name that is not ours yet.
 */
export const releaseNames = {
  published: false,
  server: 'burgee',
  client: 'burgee-client',
  image: 'burgee',
};
