import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { commandPaceMs, HeldCommands } from '../../src/support/held-commands.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';

interface Command {
  readonly ticket: number;
}

/** The sent messages: the tickets of each, and its time. */
function recordMessages(isPaced?: () => boolean): {
  readonly held: HeldCommands<Command>;
  readonly messages: number[][];
  readonly times: number[];
} {
  const messages: number[][] = [];
  const times: number[] = [];
  const held = new HeldCommands<Command>((commands) => {
    messages.push(commands.map(({ ticket }) => ticket));
    times.push(monotonicMs());
  }, isPaced);
  return { held, messages, times };
}

t.test('commands of one turn of the event loop are sent as one message, in order', async (test) => {
  const { held, messages } = recordMessages();
  for (const ticket of [1, 2, 3]) held.add({ ticket });
  test.strictSame(messages, []);
  await nextTurn();
  held.add({ ticket: 4 });
  await nextTurn();
  test.strictSame(messages, [[1, 2, 3], [4]]);
});

/** How much too early a timer may fire, by rounding. */
const timerMs = 1;

function momentAfter(time: number): number {
  return (Math.floor(time / commandPaceMs) + 1) * commandPaceMs;
}

t.test('paced messages keep their distance, and lose no command', async (test) => {
  const { held, messages, times } = recordMessages(() => true);
  for (let ticket = 1; ticket <= 40; ticket += 1) {
    held.add({ ticket });
    await nextTurn();
    if (ticket % 10 === 0) await new Promise((resolve) => setTimeout(resolve, commandPaceMs));
  }
  while (messages.flat().length < 40) await nextTurn();
  test.strictSame(
    messages.flat(),
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  // They are sent at ticks of a clock that all threads share: a message that a busy machine delays does not delay the
  // next.
  const early = times.slice(1).filter((time, index) => time < momentAfter(times[index] ?? 0) - timerMs);
  test.same(early, [], `at ${times.join(', ')} ms`);
});

t.test('a flush sends the held commands at once, and none twice', async (test) => {
  const { held, messages } = recordMessages();
  held.add({ ticket: 1 });
  held.flush();
  test.strictSame(messages, [[1]]);
  await nextTurn();
  held.flush();
  test.strictSame(messages, [[1]]);
});
