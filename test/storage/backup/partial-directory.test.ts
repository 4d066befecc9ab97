import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { beginDirectory, isMountPoint, isVacant } from '../../../src/storage/backup/partial-directory.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

t.test('a directory gets its name once it is complete, with its parents made first', async (test) => {
  const parent = temporaryDirectory(test);
  const target = join(parent, 'a', 'b');
  const partial = beginDirectory(target, '.partial');
  test.equal(partial.path, `${target}.partial`);
  writeFileSync(join(partial.path, 'file'), 'content');
  test.notOk(existsSync(target));
  partial.finish();
  test.same(readdirSync(target), ['file'], 'and nothing else');
  test.equal(statSync(target).mode & 0o777, 0o700);
  test.same(readdirSync(join(parent, 'a')), ['b']);
  partial.abandon();
  test.ok(existsSync(target), 'a finished directory is not removed');
});

t.test('an abandoned directory is removed', async (test) => {
  const target = join(temporaryDirectory(test), 'target');
  const partial = beginDirectory(target, '.partial');
  writeFileSync(join(partial.path, 'file'), 'content');
  partial.abandon();
  test.notOk(existsSync(target));
  test.notOk(existsSync(partial.path));
});

t.test('the remains of an earlier attempt are removed before the next begins', async (test) => {
  const target = join(temporaryDirectory(test), 'target');
  mkdirSync(join(`${target}.partial`, 'deep', 'down'), { recursive: true });
  writeFileSync(join(`${target}.partial`, 'backup.json'), '{}');
  const partial = beginDirectory(target, '.partial');
  test.same(readdirSync(partial.path), ['burgee.lock']);
  partial.abandon();
});

t.test('only a vacant directory is replaced', async (test) => {
  const target = join(temporaryDirectory(test), 'target');
  test.ok(isVacant(target));
  mkdirSync(target);
  writeFileSync(join(target, 'burgee.lock'), '');
  test.ok(isVacant(target), 'a directory with only a claim file counts as vacant');
  const partial = beginDirectory(target, '.partial');
  writeFileSync(join(target, 'letter'), 'dear');
  test.notOk(isVacant(target));
  test.throws(() => partial.finish(), StoreError);
  partial.abandon();
  test.ok(existsSync(join(target, 'letter')));
});

t.test('a mounted file system is not replaced', { skip: process.platform !== 'linux' }, async (test) => {
  test.ok(isMountPoint('/proc'));
  test.notOk(isMountPoint(temporaryDirectory(test)));
  test.throws(() => beginDirectory('/proc', '.partial'), /file system of its own. Name a directory in it/);
  test.notOk(existsSync('/proc.partial'));
});
