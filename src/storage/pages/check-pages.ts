import { checkFreePages } from './check-free-list.ts';
import { checkTree, type TreeEntry } from './check-tree.ts';
import { DamagedPagesError } from './damaged-pages-error.ts';
import type { FileHead } from './file-head.ts';
import { PageFile } from './page-file.ts';
import { nodeFlags, readCount, readTreeRecord, type TreeRecord, treeRecordBytes } from './page-format.ts';
import { PageUse } from './page-use.ts';

export interface TableSize {
  readonly name: string;
  readonly bytes: number;
}

/** What looks at the named tables while their pages are checked. */
export interface TableVisitor {
  /** @returns those whose leaves are to be read; of the others every page that leads to a leaf is. */
  choose(tables: readonly TableSize[]): ReadonlySet<string>;
  /** @returns what looks at each entry of a table that was chosen. */
  begin(name: string): (entry: TreeEntry) => void;
}

interface Table {
  readonly name: string;
  readonly record: TreeRecord;
  readonly commit: number;
}

/**
 * Checks the pages in use of a data file. LMDB has no checksums of pages: it takes a damaged one as it is, and answers
 * wrongly, or ends the process.
 *
 * @param head where to begin; its pages must stay as they are meanwhile
 * @throws DamagedPagesError at the first thing that does not hold, and whatever the visitor throws
 */
export function checkPages(descriptor: number, head: FileHead, visitor: TableVisitor): void {
  const { free, main, commit, lastPage, pageBytes } = head;
  const file = new PageFile(descriptor, pageBytes);
  const use = new PageUse(lastPage, file.pages);
  const tables: Table[] = [];
  const all = { headCommit: commit, compare: Buffer.compare };
  const list = (entry: TreeEntry): number => tables.push(tableIn(entry));
  checkTree(file, use, { ...all, name: 'the table of tables', record: main, commit, visit: list });
  const sizes = tables.map(({ name, record }) => ({ name, bytes: pagesIn(record) * pageBytes }));
  if (tables.reduce((sum, { record }) => sum + pagesIn(record), 0) > lastPage) {
    throw new DamagedPagesError('the tables are said to have more pages than the file');
  }
  const chosen = visitor.choose(sizes);
  for (const table of tables) {
    const visit = chosen.has(table.name) ? visitor.begin(table.name) : null;
    checkTree(file, use, { ...all, ...table, visit });
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
function tableIn({ key, value, flags, commit }: TreeEntry): Table {
  const name = key.toString('latin1', 0, Math.max(0, key.length - 1));
  const isTree = key.at(-1) === 0 && flags === nodeFlags.tree && value.length === treeRecordBytes;
  const record = isTree ? readTreeRecord(value, 0) : null;
  if (record?.flags === 0) return { name, record, commit };
  throw new DamagedPagesError(`the table of tables has an entry that is none, ${JSON.stringify(name)}`);
}

function pagesIn({ branchPages, leafPages, bigValuePages }: TreeRecord): number {
  return branchPages + leafPages + bigValuePages;
}

/** A key that is no number is refused when its entry is looked at. */
function compareCommits(left: Buffer, right: Buffer): number {
  return left.length < 8 || right.length < 8 ? 1 : readCount(left, 0) - readCount(right, 0);
}
