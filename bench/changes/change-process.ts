import { ChangeMaker } from './change-maker.ts';
import type { ChangeOrder, ChangeReply } from './fixed-rate-changes.ts';

/** The process of `startChanges`: obeys orders until its parent ends. */
let maker: ChangeMaker | null = null;

async function obey(order: ChangeOrder): Promise<ChangeReply> {
  if (order.kind === 'open') {
    maker = await ChangeMaker.open(order.origin, order.flags);
    return { kind: 'done' };
  }
  if (maker === null) throw new Error('no connections were opened');
  if (order.kind === 'end') return { kind: 'made', made: await maker.end() };
  maker.begin(order.perSecond);
  return { kind: 'done' };
}

function reply(answer: ChangeReply): void {
  process.send?.(answer);
}

process.on('message', (order: ChangeOrder) => {
  obey(order).then(reply, (fault: Error) => reply({ kind: 'failed', message: fault.message }));
});
process.on('disconnect', () => process.exit());
