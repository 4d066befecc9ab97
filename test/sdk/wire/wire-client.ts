import type { Test } from 'tap';
import type { BurgeeClient, ClientOptions, ClientStatus } from '../../../src/sdk/burgee-client.ts';
import { checkOptions } from '../../../src/sdk/client-options.ts';
import { SyncedClient } from '../../../src/sdk/synced-client.ts';
import { defaultTimings, type Timings } from '../../../src/sdk/timings.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { createRandom } from '../../support/random.ts';
import { expectedAnswer, randomQuestion } from './random-configuration.ts';
import type { WireServer } from './wire-server.ts';

/** A program's timings, fifty times as fast. */
export const quickTimings: Timings = {
  ...defaultTimings,
  backoffFirstMs: 80,
  backoffMaxMs: 600,
  backoffMinMs: 20,
  steadyMs: 1200,
  watchdogMs: 900,
  firstByteMs: 200,
  answerMs: 1000,
  refusedMs: 600,
  pollMs: 100,
  usageMs: 200,
  cacheMs: 50,
  pulseMs: 50,
};

export async function startClient(
  t: Lifetime,
  server: WireServer,
  options: Partial<ClientOptions> = {},
  timings: Partial<Timings> = {},
): Promise<SyncedClient> {
  const all = {
    url: server.url,
    project: 'Qm4ZtR9bNdk3VvX0aPq1',
    environment: 'production',
    token: server.token,
    ...options,
  };
  const client = new SyncedClient(checkOptions(all), { ...quickTimings, ...timings });
  t.teardown(() => client.close());
  await client.start();
  return client;
}

/** Resolves once something holds, which is looked at after each event of the client. */
export function until(client: BurgeeClient, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      for (const remove of removals) remove();
      clearInterval(timer);
      resolve();
    };
    const removals = [client.on('change', look), client.on('status', look)];
    const timer = setInterval(look, 5);
    look();
  });
}

export async function untilStatus(client: BurgeeClient, status: ClientStatus): Promise<void> {
  await until(client, () => client.status === status);
}

/** Waits until the client is ready with the server's newest configuration, and asks a thousand questions. */
export async function expectSameAnswers(
  t: Test,
  client: BurgeeClient,
  server: WireServer,
  seed = 1,
): Promise<void> {
  await until(client, () => client.status === 'ready' && client.version === server.version);
  const random = createRandom(seed);
  let wrong = 0;
  for (let count = 0; count < 1000; count += 1) {
    const question = randomQuestion(random, server.configuration);
    const expected = expectedAnswer(server.configuration, question);
    const fallback = random.chance(0.5);
    if (client.isOn(question.key, question.context, fallback) !== (expected ?? fallback)) wrong += 1;
  }
  t.equal(wrong, 0, 'the answers are those of the server');
}
