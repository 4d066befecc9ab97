import { setTimeout as pause } from 'node:timers/promises';
import type { KeptConnection, PlainAnswer } from './kept-connection.ts';

const busyPauseMs = 100;
const busyAnswersMax = 50;

/**
 * Sends a change. On a computer with other work a service may refuse one, since it could not begin it in time: such a
 * change was not decided, and is asked for again, for some seconds.
 */
export async function askUntilTaken(connection: KeptConnection, change: Buffer): Promise<PlainAnswer> {
  for (let busy = 0; ; busy += 1) {
    const answer = await connection.ask(change);
    if (answer.status !== 503 || busy === busyAnswersMax) return answer;
    await pause(busyPauseMs);
  }
}
