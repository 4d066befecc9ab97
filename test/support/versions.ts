import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/*
 * What released versions have written and sent: test/fixtures has a folder for each. WRITE_FIXTURE=1 makes the folder of the
 * version in package.json, until that version has a tag.
 */
const root = repositoryRoot();
const fixtures = join(root, 'test', 'fixtures');

export const ownVersion = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
).version;

/** Versions with a folder. */
export const recordedVersions = readdirSync(fixtures).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

export const fixtureOf = (version: string, name: string): string => join(fixtures, version, name);

/** Tags of released versions, the newest first. Empty in a copy without git. */
export function releasedTags(): readonly string[] {
  if (!existsSync(join(root, '.git'))) return [];
  const words = ['tag', '--list', 'v[0-9]*.[0-9]*.[0-9]*', '--sort=-version:refname'];
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Whether this run writes fixtures. @throws when the version was released: its fixtures stay */
export function isWriting(): boolean {
  if (process.env['WRITE_FIXTURE'] !== '1') return false;
  if (releasedTags().includes(`v${ownVersion}`))
    throw new Error(
      `v${ownVersion} is released: raise the version in package.json before you write fixtures`,
    );
  return true;
}
