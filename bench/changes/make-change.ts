import { setTimeout as pause } from 'node:timers/promises';
import { requireAccepted, requireChange } from './changing-flag.ts';
import type { KeptConnection, PlainAnswer } from './kept-connection.ts';

const busyPauseMs = 100;
const busyAnswersMax = 50;

/**
 * Sends a change, and waits until it is acknowledged. On a busy machine a service may answer 503, because it could not begin
 * the change in time. The change is then repeated for some seconds. A node of a cluster may have stored the change, and
 * answer 503 because another node's lease has lapsed. Then the repeated change changes nothing.
 *
 * @throws when it is refused, or changes nothing at the first attempt
 */
export async function makeChange(connection: KeptConnection, change: Buffer): Promise<void> {
  const { answer, isFirst } = await askUntilAccepted(connection, change);
  if (isFirst) requireChange(answer);
  else requireAccepted(answer);
}

/** The same for a flag that may already be in the requested state. */
export async function ensureChange(connection: KeptConnection, change: Buffer): Promise<void> {
  requireAccepted((await askUntilAccepted(connection, change)).answer);
}

async function askUntilAccepted(
  connection: KeptConnection,
  change: Buffer,
): Promise<{ readonly answer: PlainAnswer; readonly isFirst: boolean }> {
  for (let busy = 0; ; busy += 1) {
    const answer = await connection.ask(change);
    if (answer.status !== 503 || busy === busyAnswersMax) return { answer, isFirst: busy === 0 };
    await pause(busyPauseMs);
  }
}
