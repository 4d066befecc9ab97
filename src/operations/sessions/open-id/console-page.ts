const home = '/console/';
const charsMax = 2048;
/** Addresses are told apart within it alone: an address that leads elsewhere has another origin. */
const anywhere = 'http://console.invalid';

/**
 * @param wanted what a request would like to come back to
 * @returns it as a path, if it is a page of the console; its first page otherwise: nobody is ever sent elsewhere
 */
export function consolePage(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > charsMax || !URL.canParse(wanted, anywhere)) return home;
  const { origin, pathname, search, hash } = new URL(wanted, anywhere);
  const isPage = origin === anywhere && pathname.startsWith(home) && !pathname.startsWith(`${home}api/`);
  return isPage ? `${pathname}${search}${hash}` : home;
}
