import { DamagedPagesError } from './damaged-pages-error.ts';
import { type FileHead, readHeads } from './file-head.ts';

/**
 * LMDB believes the head that names the later commit. One whose number was damaged would turn the store back, so the two
 * must be of commits that follow one another: a commit goes to the page that its number's last bit says. In a copy the
 * other head is still that of a new file.
 *
 * @returns the newer head. @throws DamagedPagesError
 */
export function checkHeads(descriptor: number): FileHead {
  const heads = readHeads(descriptor).map(checkHead);
  const [older, newer] = heads.sort((left, right) => left.commit - right.commit);
  if (older === undefined || newer === undefined) throw new DamagedPagesError('it has no head');
  const follows = newer.commit - older.commit === 1 || older.commit === 0;
  if (!follows)
    throw new DamagedPagesError(`its heads are of the commits ${older.commit} and ${newer.commit}`);
  if (older.constants !== newer.constants)
    throw new DamagedPagesError('its two heads differ in what never changes');
  return newer;
}

function checkHead(head: FileHead | null, page: number): FileHead {
  if (head === null) throw new DamagedPagesError(`the head on page ${page} cannot be read`);
  if (head.page !== page || (head.commit !== 0 && head.commit % 2 !== page)) {
    throw new DamagedPagesError(`the head on page ${page} is not that page's`);
  }
  return head;
}
