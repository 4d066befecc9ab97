import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type Attack, addressesOf, untilOver } from './attack.ts';
import { beginFlagdCall, openFlagdSession, selectorOf } from './flagd-wire.ts';

const unreadMs = 2000;
const callsOfSession = 16;

/** Streams of a long project, which are opened again and again, and never read. */
export const flagdStreams: Attack = async (stage) => {
  const addressOf = addressesOf(stage.random);
  const selector = selectorOf(stage.tenant.longProjectId, stage.tenant.longSecret);
  const sessions = stage.random.integer(4, 32);
  let sent = 0;
  const stand = async (index: number): Promise<void> => {
    while (!stage.isOver()) {
      const session = openFlagdSession(stage.flagdPort, addressOf(index));
      const closed = once(session, 'close');
      for (let call = 0; call < callsOfSession; call += 1) {
        beginFlagdCall(session, 'SyncFlags', selector).pause();
        sent += 1;
      }
      await Promise.race([closed, untilOver(stage), setTimeout(unreadMs)]);
      session.destroy();
    }
  };
  await Promise.all(Array.from({ length: sessions }, (_, index) => stand(index)));
  return sent;
};

/** Whole configurations of a project whose flags have long lists, one call after another on each connection. */
export const flagdCalls: Attack = async (stage) => {
  const addressOf = addressesOf(stage.random);
  const selector = selectorOf(stage.tenant.largeProjectId, stage.tenant.largeSecret);
  const clients = stage.random.integer(4, 32);
  let sent = 0;
  const client = async (index: number): Promise<void> => {
    while (!stage.isOver()) {
      const session = openFlagdSession(stage.flagdPort, addressOf(index));
      const isClosed = once(session, 'close');
      while (!stage.isOver() && !session.destroyed && !session.closed) {
        const call = beginFlagdCall(session, 'FetchAllFlags', selector);
        call.resume();
        sent += 1;
        await Promise.race([once(call, 'close'), isClosed, untilOver(stage)]);
      }
      session.destroy();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return sent;
};
