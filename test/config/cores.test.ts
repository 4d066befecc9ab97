import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { coresOf, cpuQuota, defaultWorkers } from '../../src/config/cores.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Files of the kernel below `/`: the process's group, and files of groups. */
function quotaWith(t: Test, group: string, files: Readonly<Record<string, string>>): number | null {
  const root = temporaryDirectory(t);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  };
  write('proc/self/cgroup', group);
  for (const [path, text] of Object.entries(files)) write(`sys/fs/cgroup/${path}`, text);
  return cpuQuota(root);
}

t.test('the cores are the processors, or the quota if it is smaller', async (t) => {
  t.equal(coresOf(8, null), 8);
  t.equal(coresOf(8, 2.5), 2.5);
  t.equal(coresOf(2, 16), 2);
});

t.test(
  'there is a worker for each whole core, at least one, and no more than the setting allows',
  async (t) => {
    for (const [cores, workers] of [
      [0.1, 1],
      [1, 1],
      [1.9, 1],
      [2, 2],
      [7.5, 7],
      [1000, 256],
    ] as const) {
      t.equal(defaultWorkers(cores), workers, `${cores} cores`);
    }
  },
);

t.test('cgroup v2: the smallest quota of the process group and its ancestors holds', async (t) => {
  const own = '0::/kubepods/pod1/container';
  t.equal(quotaWith(t, own, { 'kubepods/pod1/container/cpu.max': '150000 100000' }), 1.5);
  const files = {
    'kubepods/cpu.max': '800000 100000',
    'kubepods/pod1/cpu.max': '50000 25000',
    'kubepods/pod1/container/cpu.max': '300000 100000',
  };
  t.equal(quotaWith(t, own, files), 2);
  t.equal(quotaWith(t, own, { ...files, 'kubepods/pod1/cpu.max': 'max 100000' }), 3);
  t.equal(
    quotaWith(t, own, { 'kubepods/pod2/cpu.max': '50000 100000' }),
    null,
    'quotas of other groups do not count',
  );
});

t.test('cgroup v2: a container sees its own group as the root, under any name', async (t) => {
  const topmost = { 'cpu.max': '250000 100000' };
  for (const own of ['0::/', '0::/docker/0123', '0::/../../other'])
    t.equal(quotaWith(t, own, topmost), 2.5, own);
});

t.test('cgroup v1: quota and period of the cpu controller hold', async (t) => {
  const own = '5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/';
  const files = (mount: string, quota: string) => ({
    [`${mount}/docker/1/cpu.cfs_quota_us`]: quota,
    [`${mount}/docker/1/cpu.cfs_period_us`]: '100000',
  });
  t.equal(quotaWith(t, own, files('cpu,cpuacct', '350000')), 3.5);
  t.equal(quotaWith(t, own, files('cpu', '350000')), 3.5);
  t.equal(quotaWith(t, own, files('cpu', '-1')), null);
  t.equal(quotaWith(t, own, files('memory', '350000')), null, 'a quota of another controller has no meaning');
  const above = { 'cpu/cpu.cfs_quota_us': '100000', 'cpu/cpu.cfs_period_us': '50000' };
  t.equal(quotaWith(t, own, { ...files('cpu', '350000'), ...above }), 2);
  t.equal(quotaWith(t, own, { ...files('cpu', '-1'), ...above }), 2);
});

t.test('missing or malformed quotas are no limit', async (t) => {
  t.equal(cpuQuota(temporaryDirectory(t)), null);
  t.equal(quotaWith(t, '0::/', {}), null);
  for (const text of ['', 'max', 'max 100000', '100000', '0 100000', '100000 0', '-1 100000', 'many much']) {
    t.equal(quotaWith(t, '0::/', { 'cpu.max': text }), null, JSON.stringify(text));
  }
  t.equal(quotaWith(t, 'nonsense', { 'cpu.max': '100000 100000' }), null);
});
