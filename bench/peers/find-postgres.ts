import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runQuietly } from './peer-packages.ts';

const debianFolder = '/usr/lib/postgresql';
const aptGet = '/usr/bin/apt-get';
/** Without this setting Debian's package makes and starts a database cluster, which nothing here needs. */
const clusterSettings = '/etc/postgresql-common/createcluster.d/burgee-bench.conf';

/** @returns the folder of the newest PostgreSQL's programs, or null */
function findPrograms(): string | null {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const ofDebian = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'));
  const folders = [...ofDebian, ...(process.env['PATH'] ?? '').split(delimiter)];
  return (
    folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))) ?? null
  );
}

async function installFromDebian(): Promise<void> {
  const folder = dirname(clusterSettings);
  const isOurs = mkdirSync(folder, { recursive: true }) !== undefined;
  writeFileSync(clusterSettings, 'create_main_cluster = false\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '--yes', '--no-install-recommends', 'postgresql'];
  try {
    await runQuietly(aptGet, ['update'], env);
    await runQuietly(aptGet, install, env);
  } finally {
    rmSync(clusterSettings, { force: true });
    if (isOurs && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

/**
 * Finds PostgreSQL. As root on Debian, installs it if it is missing.
 *
 * @returns the folder of its programs, such as `/usr/lib/postgresql/15/bin`
 * @throws Error that says what to do, if it is missing and cannot be installed
 */
export async function ensurePostgres(note: (text: string) => void): Promise<string> {
  const found = findPrograms();
  if (found !== null) return found;
  if (process.getuid?.() !== 0 || !existsSync(aptGet)) {
    throw new Error('PostgreSQL is not installed; on Debian, run: apt-get install postgresql');
  }
  note("installing Debian's postgresql (apt-get install postgresql)");
  await installFromDebian();
  const installed = findPrograms();
  if (installed !== null) return installed;
  throw new Error(`apt-get installed postgresql, but ${debianFolder} has no initdb`);
}
