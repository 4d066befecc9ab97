import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { DiskControl } from './disk-shim.ts';

const fillingMs = 50;

/** A disk that a test can fill and free. */
export interface SmallDisk {
  readonly kind: 'tmpfs' | 'shim';
  /** A directory on it, for a data directory. */
  readonly directory: string;
  /** The environment for a server on it, which the shim needs. */
  readonly control: DiskControl;
  /** @param freeBytes the space to leave free; 0 fills the disk to the last byte */
  fill(freeBytes: number): Promise<void>;
  free(): void;
}

/** Makes a tmpfs where mounting is allowed; otherwise a shim that reports a full disk and refuses writes. */
export function makeSmallDisk(t: Lifetime, bytes: number): SmallDisk {
  const control = new DiskControl(t);
  const mounted = mountTmpfs(t, bytes);
  return mounted === null ? shimmedDisk(t, control) : { kind: 'tmpfs', control, ...mounted };
}

/** @returns null where mounting is not allowed */
export function mountTmpfs(
  t: Lifetime,
  bytes: number,
): Pick<SmallDisk, 'directory' | 'fill' | 'free'> | null {
  const root = temporaryDirectory(t);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', root]);
  if (status !== 0) return null;
  t.teardown(() => spawnSync('umount', ['-l', root]));
  const directory = join(root, 'data');
  mkdirSync(directory, { mode: 0o700 });
  const filler = join(root, 'filler');
  return {
    directory,
    fill: async (freeBytes) => fillWith(filler, root, freeBytes),
    free: () => rmSync(filler, { force: true }),
  };
}

function fillWith(filler: string, root: string, freeBytes: number): void {
  const block = Buffer.alloc(64 * 1024, 0xff);
  const descriptor = openSync(filler, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(root);
      const excess = bavail * bsize - freeBytes;
      if (excess <= 0) return;
      writeSync(descriptor, block, 0, Math.min(block.length, excess));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

function shimmedDisk(t: Lifetime, control: DiskControl): SmallDisk {
  return {
    kind: 'shim',
    directory: join(temporaryDirectory(t), 'data'),
    control,
    async fill(freeBytes) {
      control.claimFree(freeBytes);
      if (freeBytes > 0) return;
      // Real free space shrinks before writes fail: gives the service time to see it.
      await pause(fillingMs);
      control.fail({ action: 'before', error: 'ENOSPC', kinds: ['write'], passes: 0, failures: -1 });
    },
    free() {
      control.claimFree(null);
      control.heal();
    },
  };
}
