import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { WireConnection } from '../wire-connection.ts';
import type { HostileTenant } from './tenants-installation.ts';

/** What an attack works with. */
export interface AttackStage extends Lifetime {
  readonly port: number;
  readonly flagdPort: number;
  readonly tenant: HostileTenant;
  readonly cohortsOfLargeFlag: number;
  readonly random: Random;
  /** The end of the attack. Its clients close soon after. */
  readonly isOver: () => boolean;
  /** A flag or an audience has another whole list, of which the audit log keeps both. */
  readonly wholeListStored: () => void;
}

/** @returns how many requests were sent, once the attack has ended */
export type Attack = (stage: AttackStage) => Promise<number>;

const reopenMs = 10;
const unreadMs = 2000;
/** Fewer answers say nothing about an attack. */
const answersOfAttackMin = 20;

/** Decides at random whether all clients share one address, or each has its own. */
export function addressesOf(random: Random): (client: number) => string {
  const isSpread = random.chance(0.5);
  const net = random.integer(1, 60);
  return (client) => (isSpread ? `127.${net}.${client >> 7}.${1 + (client & 127)}` : `127.${net}.0.1`);
}

interface Asking {
  readonly clients: number;
  readonly pauseMs: number;
  readonly requestOf: (turn: number) => string;
  /** The statuses of answers that the attack is about: 200 unless given. */
  readonly wanted?: readonly number[];
  /** @param body of an answer 200 */
  readonly learn?: (body: string) => void;
}

/**
 * A closed loop: each client sends its next request as soon as it has an answer.
 * @throws if none of many answers is the wanted one, and none was on its way at the end: then the attack was none
 */
export async function keepAsking(
  stage: AttackStage,
  { clients, pauseMs, requestOf, wanted = [200], learn }: Asking,
): Promise<number> {
  const statuses = new Map<number, number>();
  const addressOf = addressesOf(stage.random);
  let turn = 0;
  /** Requests whose answer was still on its way at the end, or was cut: they cost the service something. */
  let unanswered = 0;
  const client = async (index: number): Promise<void> => {
    let connection: WireConnection | null = null;
    // At least one request: on a busy machine an attack that signs in first begins late.
    do {
      if (connection === null || connection.isLost) {
        connection?.destroy();
        connection = await WireConnection.open(stage.port, addressOf(index)).catch(() => null);
      }
      if (connection === null) {
        await setTimeout(reopenMs);
        continue;
      }
      turn += 1;
      const opened = connection;
      // A request that gets no answer any more ends with the attack.
      const answer = opened.ask(requestOf(turn)).catch(() => null);
      const answered = await Promise.race([answer, untilOver(stage)]);
      if (answered === null) unanswered += 1;
      else statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1);
      if (answered?.status === 200) learn?.(answered.body);
      if (pauseMs > 0) await setTimeout(pauseMs);
    } while (!stage.isOver());
    connection?.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const isNone = unanswered === 0 && !wanted.some((status) => statuses.has(status));
  if (answered >= answersOfAttackMin && isNone) {
    throw new Error(`an attack got no ${wanted.join(' or ')}, but ${JSON.stringify([...statuses])}`);
  }
  return turn;
}

export async function untilOver({ isOver }: AttackStage): Promise<null> {
  while (!isOver()) await setTimeout(100);
  return null;
}

/** Sockets that send and never read. They are opened anew when they are closed or have stood still for a while. */
export async function neverRead(stage: AttackStage, sockets: number, bytes: Buffer): Promise<number> {
  const addressOf = addressesOf(stage.random);
  let sent = 0;
  const stand = async (index: number): Promise<void> => {
    while (!stage.isOver()) {
      const socket = openQuietly(stage.port, addressOf(index));
      socket.pause();
      sent += 1;
      socket.write(bytes);
      const until = performance.now() + unreadMs;
      while (!stage.isOver() && !socket.destroyed && performance.now() < until) await setTimeout(50);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: sockets }, (_, index) => stand(index)));
  return sent;
}

function openQuietly(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  socket.on('error', () => socket.destroy());
  return socket;
}
