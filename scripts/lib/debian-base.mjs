import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureDebian } from './ensure-debian.mjs';

const folder = join(homedir(), '.cache', 'burgee');

/** Its arguments are debootstrap and the file. The rename is atomic: a reader gets a whole file. */
const make = `
test ! -f "$2" || exit 0
part=$(mktemp -d "$2.XXXXXX")
trap 'rm -rf "$part"' EXIT
"$1" --variant=minbase trixie "$part/root" >&2
tar -C "$part/root" --exclude='./var/cache/apt/archives/*.deb' -cf "$part/root.tar" .
mv "$part/root.tar" "$2"
`;

/**
 * The root of a Debian 13 with its essential packages alone, made with debootstrap once and kept. Needs root on Debian.
 * @returns the path of a tar file of it
 * @throws when it cannot be made
 */
export function debianBase() {
  const { paths, problem } = ensureDebian(['debootstrap']);
  if (problem !== undefined) throw new Error(problem);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'debian-13.tar');
  const words = [`${file}.lock`, 'sh', '-ec', make, 'sh', paths.debootstrap, file];
  const { status, stderr, error } = spawnSync('flock', words, { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`debootstrap: ${stderr.trim().slice(-300)}`);
  return file;
}
