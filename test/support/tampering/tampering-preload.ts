import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads';
import {
  createMailboxMemory,
  doneCell,
  headCell,
  progressCell,
  wakeCell,
} from '../../../src/evaluator/mailbox.ts';
import { isUnsettled } from '../../../src/support/store-version.ts';
import { pulseBegunCell, pulseBytes } from '../../../src/writer/writer-protocol.ts';
import {
  cellOf,
  clockCellOf,
  environmentKey,
  type FaultKind,
  faultKinds,
  type Moment,
  moments,
  openTampering,
  socketVariable,
  speedVariable,
  type TamperingOrder,
  type TamperingReport,
  tamperingBytes,
  wallOffsetVariable,
} from './tampering.ts';

/*
 * Loaded with `--import` before Burgee's own code, in its main thread and in every worker. The main thread takes orders
 * from a socket; the workers meet their fault inside the Atomics calls that evaluator and writer make anyway.
 */
if (isMainThread) setEnvironmentData(environmentKey, new SharedArrayBuffer(tamperingBytes));
const { cells, clock } = openTampering(getEnvironmentData(environmentKey) as SharedArrayBuffer);
const { add, exchange, store, wait } = Atomics;
const mailboxCells = createMailboxMemory(2).control.byteLength / Int32Array.BYTES_PER_ELEMENT;
const pulseCells = pulseBytes / Int32Array.BYTES_PER_ELEMENT;
const realWallClock = Date.now;
const realHrtime = process.hrtime;

if (isMainThread) beginTampering();
tamperWithClocks();
if (!isMainThread) tamperWithAtomics();

function beginTampering(): void {
  const [seconds, nanoseconds] = realHrtime();
  clock[clockCellOf.monotonicOriginMs] = seconds * 1000 + nanoseconds / 1e6;
  clock[clockCellOf.speed] = Number(process.env[speedVariable] ?? 1);
  clock[clockCellOf.wallOffsetMs] = Number(process.env[wallOffsetVariable] ?? 0);
  const server = createServer((socket) => {
    socket.unref().on('error', () => socket.destroy());
    const lines = createInterface({ input: socket });
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      obey(JSON.parse(line) as TamperingOrder);
      const report: TamperingReport = {
        struck: Atomics.load(cells, cellOf.struck),
        loopsBegun: Atomics.load(cells, cellOf.loopsBegun),
      };
      socket.write(`${JSON.stringify(report)}\n`);
    });
  });
  server.listen(process.env[socketVariable]).unref();
}

function obey(order: TamperingOrder): void {
  if (order.order === 'set-wall-clock') clock[clockCellOf.wallOffsetMs] = order.offsetMs;
  if (order.order === 'release') {
    store(cells, cellOf.isReleased, 1);
    Atomics.notify(cells, cellOf.isReleased);
  }
  if (order.order !== 'arm') return;
  store(cells, cellOf.isReleased, 0);
  store(cells, cellOf.moment, moments.indexOf(order.moment));
  store(cells, cellOf.countdown, order.countdown);
  store(cells, cellOf.kind, faultKinds.indexOf(order.kind));
}

function tamperWithClocks(): void {
  Date.now = () => realWallClock() + (clock[clockCellOf.wallOffsetMs] ?? 0);
  const speed = clock[clockCellOf.speed] ?? 1;
  if (speed === 1) return;
  const originMs = clock[clockCellOf.monotonicOriginMs] ?? 0;
  const hrtime = (time?: [number, number]): [number, number] => {
    if (time !== undefined) return realHrtime(time);
    const [seconds, nanoseconds] = realHrtime();
    const ms = originMs + (seconds * 1000 + nanoseconds / 1e6 - originMs) * speed;
    return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
  };
  process.hrtime = Object.assign(hrtime, { bigint: realHrtime.bigint });
  syncBuiltinESMExports();
}

/** An evaluator is known by the size of its mailbox's control, the writer by its pulse. */
function tamperWithAtomics(): void {
  const isWriter = (workerData as { pulse?: unknown } | null)?.pulse instanceof SharedArrayBuffer;
  let mailboxSeen: object | null = null;
  // A thread whose evaluator threw serves another mailbox afterwards.
  const noteLoop = (mailbox: object): void => {
    if (mailbox === mailboxSeen) return;
    mailboxSeen = mailbox;
    add(cells, cellOf.loopsBegun, 1);
  };
  Atomics.add = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === mailboxCells && index === progressCell) {
      noteLoop(array);
      meet('turn');
    } else if (isWriter && array.length === 1 && isUnsettled(Atomics.load(array, index))) meet('durable');
    return add(array, index, value);
  }) as typeof Atomics.add;
  Atomics.store = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === mailboxCells && index === doneCell) meet('answers');
    else if (isWriter && array.length === pulseCells && index === pulseBegunCell) meet('begun');
    return store(array, index, value);
  }) as typeof Atomics.store;
  Atomics.exchange = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === mailboxCells && index === wakeCell) meet('published');
    return exchange(array, index, value);
  }) as typeof Atomics.exchange;
  Atomics.wait = ((array: Int32Array, index: number, value: number, timeoutMs?: number): string => {
    if (array.length === mailboxCells && index === headCell) meet('asleep');
    return wait(array, index, value, timeoutMs);
  }) as typeof Atomics.wait;
}

function meet(moment: Moment): void {
  if (Atomics.load(cells, cellOf.kind) === 0 || moments[Atomics.load(cells, cellOf.moment)] !== moment)
    return;
  if (add(cells, cellOf.countdown, -1) !== 1) return;
  const kind = faultKinds[exchange(cells, cellOf.kind, 0)] ?? 'none';
  add(cells, cellOf.struck, 1);
  strike(kind);
}

function strike(kind: FaultKind): void {
  const fault = new Error('a fault that the test ordered');
  if (kind === 'throw') throw fault;
  if (kind === 'exit') process.exit(3);
  if (kind === 'throw-later') {
    setImmediate(() => {
      throw fault;
    });
  }
  if (kind === 'hang') wait(cells, cellOf.isReleased, 0);
  while (kind === 'spin' && Atomics.load(cells, cellOf.isReleased) === 0);
}
