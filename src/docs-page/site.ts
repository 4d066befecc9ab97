import { startCopying } from './copy.ts';
import { startSearch } from './search.ts';

/* Runs on every page of the documentation. */

/** `docs` links of errors lead to the first page, whose list of errors leads on. */
const error = document.querySelector<HTMLAnchorElement>(
  `.errors > [id="${CSS.escape(location.hash.slice(1))}"] a`,
);
if (error) location.replace(error.href);

startSearch();
startCopying();
// A link to a heading does not leave the page: the menu would stay open over it.
document.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement) target.closest<HTMLElement>(':popover-open')?.hidePopover();
});
document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'nearest' });
document.documentElement.classList.add('scripted');
