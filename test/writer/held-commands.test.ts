import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { commandPaceMs, HeldCommands } from '../../src/writer/held-commands.ts';
import type { WriterCommand } from '../../src/writer/writer-protocol.ts';

function commandOf(ticket: number): WriterCommand {
  const denial = {} as Extract<WriterCommand, { kind: 'denial' }>['denial'];
  return { kind: 'denial', ticket, deadline: 0, denial };
}

/** Messages as they were sent: the tickets of each, and when. */
function recordMessages(): {
  readonly held: HeldCommands;
  readonly messages: number[][];
  readonly times: number[];
} {
  const messages: number[][] = [];
  const times: number[] = [];
  const held = new HeldCommands((commands) => {
    messages.push(commands.map(({ ticket }) => ticket));
    times.push(performance.now());
  });
  return { held, messages, times };
}

t.test('commands of one turn of the event loop go as one message, in order', async (test) => {
  const { held, messages } = recordMessages();
  for (const ticket of [1, 2, 3]) held.add(commandOf(ticket));
  test.strictSame(messages, []);
  await nextTurn();
  held.add(commandOf(4));
  await nextTurn();
  test.strictSame(messages, [[1, 2, 3], [4]]);
});

t.test('paced messages are apart, and lose nothing', async (test) => {
  const { held, messages, times } = recordMessages();
  held.isPaced = true;
  for (let ticket = 1; ticket <= 40; ticket += 1) {
    held.add(commandOf(ticket));
    await nextTurn();
    if (ticket % 10 === 0) await new Promise((resolve) => setTimeout(resolve, commandPaceMs));
  }
  while (messages.flat().length < 40) await nextTurn();
  test.strictSame(
    messages.flat(),
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // A timer may fire up to a millisecond early by the clock that is read here.
  test.ok(Math.min(...gaps) >= commandPaceMs - 1, `gaps of ${gaps.join(', ')} ms`);
});

t.test('a flush sends what is held at once, and nothing twice', async (test) => {
  const { held, messages } = recordMessages();
  held.add(commandOf(1));
  held.flush();
  test.strictSame(messages, [[1]]);
  await nextTurn();
  held.flush();
  test.strictSame(messages, [[1]]);
});
