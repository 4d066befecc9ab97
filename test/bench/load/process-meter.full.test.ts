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

/** Two readings of the kernel's coarse clock, each cut to 10 ms twice, and the time between our reading and Node's. */
const toleranceUs = 60_000;
/** Burns 300 ms of the process's CPU time. */
const burn = `
  const end = process.cpuUsage().user + 3e5;
  for (let sum = 0; process.cpuUsage().user < end; ) for (let i = 0; i < 1e6; i += 1) sum += i % 7;
`;
const skip = canMeterProcesses() ? false : 'this system has no /proc';

t.test('a process is charged for threads that have ended', { skip }, async (t) => {
  const own = process.cpuUsage();
  const read = meterProcess(process.pid);
  const worker = new Worker(burn, { eval: true });
  await once(worker, 'exit');
  const { processUs } = read();
  const { user, system } = process.cpuUsage(own);
  t.ok(Math.abs(processUs - user - system) < toleranceUs, `${processUs} of ${user + system}`);
});

t.test(
  'a process is charged for its child processes, while they live and afterwards',
  { skip },
  async (t) => {
    const start = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${burn} console.log('burnt'); process.stdin.resume();`)}]);
    child.stdout.once('data', () => console.log('burnt'));
    child.once('exit', () => console.log('ended'));
    process.stdin.once('data', () => child.stdin.end()).resume();
  `;
    const parent = spawn(process.execPath, ['-e', start], { stdio: ['pipe', 'pipe', 'inherit'] });
    const read = meterProcess(parent.pid ?? 0);
    await once(parent.stdout, 'data');
    const living = read();
    t.ok(living.processUs > 300_000 - toleranceUs, `${living.processUs}`);
    t.ok(living.residentBytes > readResidentBytes(parent.pid ?? 0) + 10 * 1024 * 1024, 'their memory counts');
    parent.stdin.write('end');
    await once(parent.stdout, 'data');
    t.ok(read().processUs >= living.processUs - toleranceUs, 'nothing is lost when they end');
    parent.stdin.end();
    await once(parent, 'close');
  },
);

t.test('resident memory is in bytes, and its peak is kept', { skip }, async (t) => {
  const block = Buffer.alloc(200 * 1024 * 1024, 1);
  const resident = readResidentBytes(process.pid);
  t.ok(resident > block.length && resident < 20 * block.length, `${resident}`);
  t.ok(readPeakResidentBytes(process.pid) >= resident - 1024 * 1024);
  t.equal(meterProcess(process.pid)().residentBytes > block.length, true);
});
