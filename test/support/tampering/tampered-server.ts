import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type BootedServer, type BootOptions, bootServer } from '../booted-server.ts';
import type { Lifetime } from '../lifetime.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import {
  type Fault,
  socketVariable,
  speedVariable,
  type TamperingOrder,
  type TamperingReport,
  wallOffsetVariable,
} from './tampering.ts';

/** A real server whose threads and clocks a test can reach. */
export interface TamperedServer extends BootedServer {
  /** Orders a fault; each moment has one fault at a time. */
  arm(fault: Fault): Promise<void>;
  /** Lets hung threads continue. */
  release(): Promise<void>;
  /** Moves the wall clock of every thread this far from the real one; the monotonic clock stays. */
  setWallClock(offsetMs: number): Promise<void>;
  report(): Promise<TamperingReport>;
}

export interface TamperedOptions extends BootOptions {
  /** How much faster the server's monotonic clock runs, with all deadlines: 1 unless given. */
  readonly speed?: number;
  readonly wallOffsetMs?: number;
}

const preload = new URL('./tampering-preload.js', import.meta.url).href;

export async function bootTampered(t: Lifetime, options: TamperedOptions): Promise<TamperedServer> {
  const socketPath = join(temporaryDirectory(t), 'tampering');
  const settings = {
    ...options.settings,
    NODE_OPTIONS: `--import ${preload}`,
    [socketVariable]: socketPath,
    [speedVariable]: String(options.speed ?? 1),
    [wallOffsetVariable]: String(options.wallOffsetMs ?? 0),
  };
  const server = await bootServer(t, { dataDir: options.dataDir, settings });
  const order = await openOrders(t, socketPath);
  return {
    ...server,
    arm: async (fault) => void (await order({ order: 'arm', ...fault })),
    release: async () => void (await order({ order: 'release' })),
    setWallClock: async (offsetMs) => void (await order({ order: 'set-wall-clock', offsetMs })),
    report: () => order({ order: 'report' }),
  };
}

type GiveOrder = (order: TamperingOrder) => Promise<TamperingReport>;

async function openOrders(t: Lifetime, socketPath: string): Promise<GiveOrder> {
  const socket = connect(socketPath);
  const waiting: { resolve(report: TamperingReport): void; reject(fault: Error): void }[] = [];
  t.teardown(() => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const { reject } of waiting) reject(new Error('the server is gone'));
  });
  const lines = createInterface({ input: socket });
  // This error repeats the socket's, which is handled there.
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    waiting.shift()?.resolve(JSON.parse(line) as TamperingReport);
  });
  return (order) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) {
        reject(new Error('the server is gone'));
        return;
      }
      waiting.push({ resolve, reject });
      socket.write(`${JSON.stringify(order)}\n`);
    });
}
