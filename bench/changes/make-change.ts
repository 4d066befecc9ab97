import { setTimeout as pause } from 'node:timers/promises';
import { requireAccepted, requireChange } from './changing-flag.ts';
import type { KeptConnection, PlainAnswer } from './kept-connection.ts';

const busyPauseMs = 100;
const busyAnswersMax = 50;

/**
 * Sends a change, and waits until it is acknowledged. On a computer with other work a service may refuse one, since it
 * could not begin it in time: it is asked for again, for some seconds. A node of a cluster may also have stored it, and
 * answer 503 because another node's lease has lapsed: then the repeated change finds nothing to do.
 *
 * @throws when it is refused, or changes nothing although no answer before said that it might be stored
 */
export async function makeChange(connection: KeptConnection, change: Buffer): Promise<void> {
  const { answer, isFirst } = await askUntilTaken(connection, change);
  if (isFirst) requireChange(answer);
  else requireAccepted(answer);
}

/** The same for a flag that may be in the wanted state already. */
export async function ensureChange(connection: KeptConnection, change: Buffer): Promise<void> {
  requireAccepted((await askUntilTaken(connection, change)).answer);
}

async function askUntilTaken(
  connection: KeptConnection,
  change: Buffer,
): Promise<{ readonly answer: PlainAnswer; readonly isFirst: boolean }> {
  for (let busy = 0; ; busy += 1) {
    const answer = await connection.ask(change);
    if (answer.status !== 503 || busy === busyAnswersMax) return { answer, isFirst: busy === 0 };
    await pause(busyPauseMs);
  }
}
