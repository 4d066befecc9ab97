const charsMax = 2048;
/** The base for comparing addresses: an address that leads elsewhere has another origin. */
const anywhere = 'http://console.invalid';

/**
 * @param wanted the address to which a request wants to return
 * @param basePath of the service, which an address in a browser begins with
 * @returns its path, if it is a page of the console; otherwise the first page, so that a browser is never sent to another site
 */
export function consolePage(wanted: string | undefined, basePath: string): string {
  const home = `${basePath}/console/`;
  if (wanted === undefined || wanted.length > charsMax || !URL.canParse(wanted, anywhere)) return home;
  const { origin, pathname, search, hash } = new URL(wanted, anywhere);
  const isPage = origin === anywhere && pathname.startsWith(home) && !pathname.startsWith(`${home}api/`);
  return isPage ? `${pathname}${search}${hash}` : home;
}
