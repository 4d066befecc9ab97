import type { TreeEntry } from './check-tree.ts';
import { DamagedPagesError } from './damaged-pages-error.ts';
import { readCount } from './page-format.ts';
import type { PageUse } from './page-use.ts';

/**
 * An entry lists pages that a commit has freed: how many numbers follow, and the numbers. A negative one is how many
 * pages are free from the next number on; zeros are gaps. A page that is listed and in use would be overwritten.
 *
 * @throws DamagedPagesError
 */
export function checkFreePages({ key, value, commit }: TreeEntry, use: PageUse): void {
  const name = 'the list of free pages';
  if (key.length !== 8 || readCount(key, 0) > commit)
    throw new DamagedPagesError(`${name} has an unknown entry`);
  const count = value.length < 8 ? Infinity : readCount(value, 0);
  if ((count + 1) * 8 > value.length) throw new DamagedPagesError(`${name} is cut off`);
  for (let index = 1; index <= count; index += 1) {
    const number = Number(value.readBigInt64LE(index * 8));
    if (number > 0) use.take(number, 1, name);
    if (number >= 0) continue;
    index += 1;
    if (index > count) throw new DamagedPagesError(`${name} is cut off`);
    use.take(Number(value.readBigInt64LE(index * 8)), -number, name);
  }
}
