import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import {
  canMeterProcesses,
  meterProcess,
  readPeakResidentBytes,
  readResidentBytes,
} from '../../../bench/load/process-meter.ts';

/** Two reads of the kernel's coarse clock, each cut to 10 ms twice, and what runs between ours and Node's reading. */
const toleranceUs = 60_000;
/** 300 ms of CPU time of the process; most of it between the looks at the clock. */
const burn = `
  const end = process.cpuUsage().user + 3e5;
  for (let sum = 0; process.cpuUsage().user < end; ) for (let i = 0; i < 1e6; i += 1) sum += i % 7;
`;
const skip = canMeterProcesses() ? false : 'this system has no /proc';

t.test('a process is charged for threads that have ended, the main thread is not', { skip }, async (t) => {
  const own = process.cpuUsage();
  const read = meterProcess(process.pid);
  const worker = new Worker(burn, { eval: true });
  await once(worker, 'exit');
  const { processUs, mainThreadUs } = read();
  const { user, system } = process.cpuUsage(own);
  t.ok(Math.abs(processUs - user - system) < toleranceUs, `${processUs} of ${user + system}`);
  t.ok(mainThreadUs < processUs - 200_000, `${mainThreadUs} of ${processUs}`);
});

t.test('what ran before the meter began is not counted', { skip }, async (t) => {
  const child = spawn(process.execPath, ['-e', `${burn} console.log('burnt'); process.stdin.resume();`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const read = meterProcess(child.pid ?? 0);
  t.ok(read().processUs < toleranceUs);
  child.stdin.end();
  await once(child, 'close');
});

t.test('resident memory is in bytes, and its peak is kept', { skip }, async (t) => {
  const block = Buffer.alloc(200 * 1024 * 1024, 1);
  const resident = readResidentBytes(process.pid);
  t.ok(resident > block.length && resident < 20 * block.length, `${resident}`);
  t.ok(readPeakResidentBytes(process.pid) >= resident - 1024 * 1024);
  t.equal(meterProcess(process.pid)().residentBytes > block.length, true);
});

t.test('a process that is not there cannot be metered', { skip }, async (t) => {
  t.throws(() => meterProcess(2 ** 30), { code: 'ENOENT' });
});
