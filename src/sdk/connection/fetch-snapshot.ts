import type { HeldConfiguration } from '../configuration/held-configuration.ts';
import { parseJson, readSnapshot } from '../configuration/sync-shapes.ts';
import type { Timings } from '../timings.ts';
import { receivedBytesMax } from './configuration-bound.ts';
import { ConnectionEnded, expectAnswer } from './connection-end.ts';
import { readText, send } from './request.ts';
import type { SyncAddress } from './sync-address.ts';

/**
 * Asks once for the whole configuration, and applies it if it is new.
 * @throws ConnectionEnded, UnusableConfiguration, or the socket's error
 */
export async function fetchSnapshot(
  address: SyncAddress,
  held: HeldConfiguration,
  { answerMs }: Timings,
  outer: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, answerMs).unref();
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort);
  const { version } = held;
  const known: Record<string, string> = version === null ? {} : { 'if-none-match': `"${version}"` };
  try {
    const answer = await send(address.configuration, {
      headers: { ...address.configurationHeaders(), accept: 'application/json', ...known },
      signal: controller.signal,
    });
    try {
      if (answer.statusCode === 304) return;
      await expectAnswer(answer, 'application/json', address);
      held.replace(readSnapshot(parseJson(await readText(answer, receivedBytesMax))));
    } finally {
      answer.destroy();
    }
  } catch (fault) {
    if (!isLate || fault instanceof ConnectionEnded) throw fault;
    throw new ConnectionEnded({
      kind: 'lost',
      why: `Burgee has not answered within ${answerMs / 1000} seconds.`,
    });
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}
