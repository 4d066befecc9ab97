import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';
import type { ProbeWorkerData } from './latency-probe.ts';

/*
 * Repeats a request to each target on a kept connection, in a thread of its own, so that the test's own work does not
 * count as a delay. Results go into shared memory.
 */
const { targets, pauseMs, shared } = workerData as ProbeWorkerData;
const epoch = new Int32Array(shared, 0, 1);
const results = new Float64Array(shared, 8);

for (const [index, target] of targets.entries()) probe(index, target.port, target.request);

function probe(index: number, port: number, request: string): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let sentAt = 0;
  let windowSeen = -1;
  const ask = (): void => {
    received = '';
    sentAt = performance.now();
    socket.write(request);
  };
  socket.setEncoding('latin1');
  socket.on('connect', ask);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    fail(index);
    setTimeout(probe, 50, index, port, request);
  });
  socket.on('data', (text: string) => {
    received += text;
    if (!isWhole(received)) return;
    windowSeen = renewWindow(index, windowSeen);
    record(index, performance.now() - sentAt);
    if (!received.startsWith('HTTP/1.1 200')) fail(index);
    setTimeout(ask, pauseMs);
  });
}

/** Slots of a target: longest answer in ms, answers, failures. */
function record(index: number, durationMs: number): void {
  const at = index * 3;
  results[at] = Math.max(results[at] ?? 0, durationMs);
  results[at + 1] = (results[at + 1] ?? 0) + 1;
}

function fail(index: number): void {
  const at = index * 3 + 2;
  results[at] = (results[at] ?? 0) + 1;
}

function renewWindow(index: number, windowSeen: number): number {
  const window = Atomics.load(epoch, 0);
  if (window !== windowSeen) results.fill(0, index * 3, index * 3 + 3);
  return window;
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const declared = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd));
  if (declared === null) return text.endsWith('\r\n0\r\n\r\n');
  return text.length >= headEnd + 4 + Number(declared[1]);
}
