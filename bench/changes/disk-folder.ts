import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's magic numbers. An unknown type is reported by its number. */
const typeNames: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x794c7630, 'overlay'],
]);

/** @returns the file system's type at a path, such as `ext4` */
export function fileSystemAt(path: string): string {
  const { type } = statfsSync(path);
  return typeNames.get(type) ?? `type ${type}`;
}

/** @returns the system's temporary folder, or `/var/tmp` if that folder is in memory: durable changes need a disk */
export function diskFolder(): string {
  return fileSystemAt(tmpdir()) === 'tmpfs' ? '/var/tmp' : tmpdir();
}
