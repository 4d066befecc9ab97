/**
 * The names under which Burgee is published. Until `published` is true, no page tells users to install by them: a name
 * that is not ours yet may be somebody else's tomorrow.
 */
export const releaseNames = {
  published: false,
  server: 'burgee',
  client: 'burgee-client',
  image: 'burgee',
};
