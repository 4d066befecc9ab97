import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** The most workers that may be configured. */
export const workersMax = 256;

/** @param quota CPU quota of the container, in processors; null without a limit */
export function coresOf(parallelism: number, quota: number | null): number {
  return quota === null ? parallelism : Math.min(parallelism, quota);
}

/** @returns how many workers run when the setting is absent: the cores, rounded down, at least 1. */
export function defaultWorkers(cores: number): number {
  return Math.min(workersMax, Math.max(1, Math.floor(cores)));
}

/**
 * Reads the CPU quota that the kernel gives this process. Node counts the processors that the process may run on, and
 * ignores quotas. A control group is also limited by the groups above it, so the smallest quota counts. A quota that
 * cannot be read counts as none.
 *
 * @param root root of the file system; tests give a directory of their own
 * @returns in processors, 1.5 for example; null without a limit
 */
export function cpuQuota(root = '/'): number | null {
  const quotas = [...groupsIn(root)].flatMap(({ directory, read }) => read(directory) ?? []);
  return quotas.length === 0 ? null : Math.min(...quotas);
}

interface ControlGroup {
  readonly directory: string;
  /** @returns the group's own quota in processors; null without one */
  readonly read: (directory: string) => number | null;
}

/**
 * The control groups of this process, and the groups above them. A container may see its own group as the topmost one.
 */
function* groupsIn(root: string): Generator<ControlGroup> {
  const mounts = posix.join(root, 'sys/fs/cgroup');
  for (const line of (readText(posix.join(root, 'proc/self/cgroup')) ?? '').split('\n')) {
    const [hierarchy, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line)?.slice(1) ?? [];
    if (hierarchy === undefined || controllers === undefined || path === undefined) continue;
    if (hierarchy === '0' && controllers === '') yield* upwards(mounts, path, quotaOfVersion2);
    if (!controllers.split(',').includes('cpu')) continue;
    for (const mount of new Set([controllers, 'cpu'])) {
      yield* upwards(posix.join(mounts, mount), path, quotaOfVersion1);
    }
  }
}

function* upwards(mount: string, path: string, read: ControlGroup['read']): Generator<ControlGroup> {
  // A path that begins with /.. leads out of what the container sees; normalised, it stays within the mount.
  let group = posix.normalize(path);
  for (; group !== '/'; group = posix.dirname(group)) yield { directory: posix.join(mount, group), read };
  yield { directory: mount, read };
}

/** `cpu.max` is "max 100000" or "150000 100000". */
function quotaOfVersion2(directory: string): number | null {
  const [quota, period] = (readText(posix.join(directory, 'cpu.max')) ?? '').trim().split(/\s+/);
  return share(quota, period);
}

/** The quota is -1 without a limit. */
function quotaOfVersion1(directory: string): number | null {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
    readText(posix.join(directory, name))?.trim(),
  );
  return share(quota, period);
}

function share(quota: string | undefined, period: string | undefined): number | null {
  const isLimit = [quota, period].every((text) => text !== undefined && /^[1-9]\d{0,14}$/.test(text));
  return isLimit ? Number(quota) / Number(period) : null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
