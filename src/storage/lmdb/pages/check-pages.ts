import { checkTree, type TreeEntry } from './check-tree.ts';
import { DamagedPagesError, PageFile, PageUse } from './page-file.ts';
import {
  type FileHead,
  nodeFlags,
  readCount,
  readHeads,
  readTreeRecord,
  type TreeRecord,
  treeRecordBytes,
} from './page-format.ts';

export interface DatabaseSize {
  readonly name: string;
  readonly bytes: number;
}

/** Receives the named databases while their pages are checked. */
export interface DatabaseVisitor {
  /** @returns the databases whose leaves are read; of the others every page that leads to a leaf is. */
  choose(databases: readonly DatabaseSize[]): ReadonlySet<string>;
  /** @returns the visitor of each entry in a database that was chosen. */
  begin(name: string): (entry: TreeEntry) => void;
}

interface NamedTree {
  readonly name: string;
  readonly record: TreeRecord;
  readonly commit: number;
}

/**
 * Checks the pages in use of a data file. LMDB has no checksums of pages: a damaged one makes it answer wrongly, or
 * crash.
 *
 * @param head where to begin; its pages must not change meanwhile
 * @throws DamagedPagesError at the first fault, and what the visitor throws
 */
export function checkPages(descriptor: number, head: FileHead, visitor: DatabaseVisitor): void {
  const { free, main, commit, lastPage, pageBytes } = head;
  const file = new PageFile(descriptor, pageBytes);
  const use = new PageUse(lastPage, file.pages);
  const trees: NamedTree[] = [];
  const all = { headCommit: commit, compare: Buffer.compare };
  const list = (entry: TreeEntry): number => trees.push(namedTreeIn(entry));
  checkTree(file, use, { ...all, name: 'the table of tables', record: main, commit, visit: list });
  const sizes = trees.map(({ name, record }) => ({ name, bytes: pagesIn(record) * pageBytes }));
  if (trees.reduce((sum, { record }) => sum + pagesIn(record), 0) > lastPage) {
    throw new DamagedPagesError('the tables are said to have more pages than the file');
  }
  const chosen = visitor.choose(sizes);
  for (const tree of trees) {
    const visit = chosen.has(tree.name) ? visitor.begin(tree.name) : null;
    checkTree(file, use, { ...all, ...tree, visit });
  }
  const visit = (entry: TreeEntry): void => checkFreePages(entry, use);
  checkTree(file, use, {
    ...all,
    name: 'the list of free pages',
    record: free,
    commit,
    compare: compareCommits,
    visit,
  });
}

/** A name ends with a zero. */
function namedTreeIn({ key, value, flags, commit }: TreeEntry): NamedTree {
  const name = key.toString('latin1', 0, Math.max(0, key.length - 1));
  const isTree = key.at(-1) === 0 && flags === nodeFlags.tree && value.length === treeRecordBytes;
  const record = isTree ? readTreeRecord(value, 0) : null;
  if (record?.flags === 0) return { name, record, commit };
  throw new DamagedPagesError(`the table of tables has an invalid entry, ${JSON.stringify(name)}`);
}

function pagesIn({ branchPages, leafPages, bigValuePages }: TreeRecord): number {
  return branchPages + leafPages + bigValuePages;
}

/** A key that is no number is refused when its entry is read. */
function compareCommits(left: Buffer, right: Buffer): number {
  return left.length < 8 || right.length < 8 ? 1 : readCount(left, 0) - readCount(right, 0);
}

/**
 * An entry lists pages that a commit has freed: how many numbers follow, and the numbers. A negative number counts free
 * pages from the next number on; zeros are gaps. A page that is listed and in use would be overwritten.
 *
 * @throws DamagedPagesError
 */
function checkFreePages({ key, value, commit }: TreeEntry, use: PageUse): void {
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

/**
 * LMDB uses the head with the later commit. If the number of a commit were damaged, the store would be turned back; so
 * the two heads must be of consecutive commits: a commit is written to the page of its number's last bit. In a copy the
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
    throw new DamagedPagesError('its two heads differ in a field that never changes');
  return newer;
}

function checkHead(head: FileHead | null, page: number): FileHead {
  if (head === null) throw new DamagedPagesError(`the head on page ${page} cannot be read`);
  if (head.page !== page || (head.commit !== 0 && head.commit % 2 !== page)) {
    throw new DamagedPagesError(`the head on page ${page} belongs to another page`);
  }
  return head;
}
