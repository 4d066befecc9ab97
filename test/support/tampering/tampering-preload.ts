import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import {
  getEnvironmentData,
  isMainThread,
  MessagePort,
  setEnvironmentData,
  workerData,
} from 'node:worker_threads';
import { isUnsettled } from '../../../src/support/store-version.ts';
import {
  beatCell,
  connectionsCell,
  stateCells,
  type WorkerMessage,
} from '../../../src/worker/worker-protocol.ts';
import { begunCell, type ClientMessage, linkCells } from '../../../src/writer/client/writer-protocol.ts';
import {
  cellOf,
  cellsOfMoment,
  clockCellOf,
  environmentKey,
  type FaultKind,
  faultKinds,
  type Moment,
  momentCellOf,
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
 * Loaded with `--import` before Burgee's own code, in every thread. The main thread takes orders from a socket. In the
 * other threads a fault occurs inside calls that workers and the writer make anyway.
 */
if (isMainThread) setEnvironmentData(environmentKey, new SharedArrayBuffer(tamperingBytes));
const { cells, clock } = openTampering(getEnvironmentData(environmentKey) as SharedArrayBuffer);
const { add, load, store, wait } = Atomics;
/** An array of this length takes 1 MiB. */
const exhaustStepLength = 2 ** 17;
/** Whether this thread has had its fault. */
let hasStruck = false;
let isLeaving = false;
/** The state of the worker as which this thread serves. */
let state: Int32Array | null = null;
let tellHost: ((message: WorkerMessage) => void) | null = null;
/** Sends once more what is about to be sent. */
let sendAgain: (() => void) | null = null;
const realWallClock = Date.now;
const realHrtime = process.hrtime;

if (isMainThread) beginTampering();
tamperWithClocks();
const pulse = (workerData as { pulse?: unknown } | null)?.pulse;
if (pulse instanceof SharedArrayBuffer) tamperWithWriter();
else if (!isMainThread) tamperWithWorker();

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
        workersBegun: Atomics.load(cells, cellOf.workersBegun),
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
  const first = firstCellOf(order.moment);
  store(cells, first + momentCellOf.countdown, order.countdown);
  store(cells, first + momentCellOf.threads, order.threads ?? 1);
  store(cells, first + momentCellOf.kind, faultKinds.indexOf(order.kind));
}

function firstCellOf(moment: Moment): number {
  return cellOf.firstMoment + moments.indexOf(moment) * cellsOfMoment;
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

/** The writer is recognised by its pulse. */
function tamperWithWriter(): void {
  Atomics.add = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === 1 && array.buffer !== pulse && isUnsettled(load(array, index))) meet('durable');
    return add(array, index, value);
  }) as typeof Atomics.add;
  Atomics.store = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === linkCells && index === begunCell) meet('begun');
    return store(array, index, value);
  }) as typeof Atomics.store;
  meetWhenSending(Array.isArray, 'told');
}

/** @param isAwaited whether a message is one before which the fault may strike */
function meetWhenSending(isAwaited: (message: unknown) => boolean, moment: Moment): void {
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function post(this: MessagePort, message: unknown, ...rest: never[]) {
    if (isAwaited(message)) {
      sendAgain = () => postMessage.call(this, message);
      meet(moment);
    }
    postMessage.call(this, message, ...rest);
  };
}

function isCommands(message: unknown): boolean {
  return 'stamp' in (message as Partial<ClientMessage>);
}

/**
 * A thread of the pool serves as one worker after another, each recognised by the memory of its state. The first cell
 * that it loads alone is the store's version, which it reads after opening the store and for each request.
 */
function tamperWithWorker(): void {
  let storeVersion: ArrayBufferLike | null = null;
  let stateSeen: ArrayBufferLike | null = null;
  Atomics.load = ((array: Int32Array, index: number): number => {
    if (array instanceof Int32Array && array.length === 1) {
      storeVersion ??= array.buffer;
      if (array.buffer === storeVersion) meet(stateSeen === null ? 'start' : 'request');
    }
    return load(array, index);
  }) as typeof Atomics.load;
  Atomics.add = ((array: Int32Array, index: number, value: number): number => {
    if (array.length === stateCells && index === beatCell) {
      state = array;
      if (array.buffer === stateSeen) meet('beat');
      else add(cells, cellOf.workersBegun, 1);
      stateSeen = array.buffer;
    }
    return add(array, index, value);
  }) as typeof Atomics.add;
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function post(this: MessagePort, message: unknown, ...rest: never[]) {
    const { kind, calls } = message as Partial<Extract<WorkerMessage, { kind: 'calls' }>>;
    if (kind !== undefined) tellHost = (lie) => postMessage.call(this, lie);
    if (calls?.some(({ name }) => name === 'leave')) isLeaving = true;
    postMessage.call(this, message, ...rest);
  };
  meetWhenSending(isCommands, 'change');
}

function meet(moment: Moment): void {
  const first = firstCellOf(moment);
  const kind = faultKinds[load(cells, first + momentCellOf.kind)] ?? 'none';
  if (kind === 'none' || hasStruck) return;
  if (add(cells, first + momentCellOf.countdown, -1) > 1) return;
  const left = add(cells, first + momentCellOf.threads, -1);
  if (left < 1) return;
  if (left === 1) store(cells, first + momentCellOf.kind, 0);
  hasStruck = true;
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
  if (kind === 'reject') setImmediate(() => void Promise.reject(fault));
  if (kind === 'hang') wait(cells, cellOf.isReleased, 0);
  while (kind === 'spin' && load(cells, cellOf.isReleased) === 0);
  if (kind === 'exhaust') exhaust();
  if (kind === 'miscount' && state !== null) store(state, connectionsCell, -1000);
  if (kind === 'repeat') sendAgain?.();
  if (kind === 'lie') tellHost?.({ kind: 'left-watchers', place: 4711 });
}

/**
 * In steps slow enough for the heap watch to notice. Between 85 % of the heap and its end there has to be a major
 * collection, and on a busy machine its marking takes a tenth of a second and more.
 */
function exhaust(): void {
  const kept: unknown[] = [];
  const filling = setInterval(() => {
    if (isLeaving) clearInterval(filling);
    else kept.push(new Array(exhaustStepLength).fill(kept.length));
  }, 2);
}
