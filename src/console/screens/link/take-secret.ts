let taken: string | null = null;

/** The secret of a one-time link, which leaves the address at once: history and bookmarks do not keep it. */
export function takeSecret(): string {
  const fragment = window.location.hash.slice(1);
  if (fragment !== '') {
    taken = fragment;
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return taken ?? '';
}
