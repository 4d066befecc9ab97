import { OpenFeature, ProviderEvents, ServerProviderStatus } from '@openfeature/server-sdk';
import t, { type Test } from 'tap';
import type { BurgeeClient } from '../../src/sdk/burgee-client.ts';
import { defaultTimings } from '../../src/sdk/timings.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, randomDocument } from './booted-service.ts';
import { builtClient, importClient, installClient } from './client-package.ts';
import { until, untilStatus } from './wire/wire-client.ts';

/*
 * The packed client, with the timings that a program has, and a Burgee that is away for five minutes: one that ended,
 * and one that stands still, whose system accepts connections that nobody answers. Both at the same time.
 */
t.setTimeout(600_000);
t.jobs = 2;

const absenceMs = 5 * 60_000;
const lookEveryMs = 5000;
/** Above the longest wait between two attempts: for the attempt, and for changes that the test makes. */
const attemptMsMax = 2000;

const directory = temporaryDirectory(t);
installClient(builtClient, directory);
const { connect, BurgeeProvider } = await importClient(directory);
t.teardown(() => OpenFeature.close());

interface Absence {
  /** How the service goes away. Resolves when it is away. */
  begin(service: BootedService): Promise<void>;
  /** Resolves when it is back. */
  end(service: BootedService): Promise<void>;
  /** How long after that a client may be away itself. */
  readonly awayMsMax: number;
}

const absences: Readonly<Record<string, Absence>> = {
  ended: {
    begin: (service) => service.server.stop(),
    end: (service) => service.restart(),
    awayMsMax: defaultTimings.backoffMaxMs + attemptMsMax,
  },
  'standing still': {
    begin: async (service) => service.server.signal('SIGSTOP'),
    end: async (service) => service.server.signal('SIGCONT'),
    awayMsMax: defaultTimings.backoffMaxMs + attemptMsMax,
  },
};

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Changes a flag. Resolves when the client has it. @returns how long after the acknowledgement, in milliseconds */
async function changeSeen(service: BootedService, client: BurgeeClient, cohort: string): Promise<number> {
  const [flag = ''] = service.flagIds;
  await service.patch(flag, { enabled: true, cohorts: [cohort] });
  const acknowledgedAt = performance.now();
  await until(client, () => client.status === 'ready' && client.isOn(flag, { cohort }, false));
  return performance.now() - acknowledgedAt;
}

async function liveThrough(t: Test, name: string, { begin, end, awayMsMax }: Absence): Promise<void> {
  const service = await BootedService.boot(t, randomDocument(createRandom(1), 60));
  const client = await connect(service.options);
  t.teardown(() => client.close());
  await OpenFeature.setProviderAndWait(name, new BurgeeProvider(service.options));
  const openFeature = OpenFeature.getClient(name);
  t.equal(client.status, 'ready');
  const questions = service.randomQuestions(createRandom(2), 1000);
  const answers = () =>
    questions.map(([flag, context]) => Number(client.isOn(flag, context, false))).join('');
  const expected = await service.answersTo(questions);
  t.equal(answers(), expected);

  await begin(service);
  const backAt = performance.now() + absenceMs;
  await untilStatus(client, 'stale');
  const staleAfterMs = absenceMs - (backAt - performance.now());
  t.ok(staleAfterMs <= defaultTimings.watchdogMs + 1000, `stale after ${Math.round(staleAfterMs)} ms`);
  let wrong = 0;
  while (performance.now() < backAt) {
    await sleep(lookEveryMs);
    if (answers() !== expected || client.status !== 'stale') wrong += 1;
  }
  t.equal(wrong, 0, 'the answers stay, and the status says that they are old');
  t.equal(openFeature.providerStatus, ServerProviderStatus.STALE);

  await end(service);
  const awayMs = await changeSeen(service, client, 'back');
  t.ok(awayMs <= awayMsMax, `the client follows again ${Math.round(awayMs)} ms after the service is back`);
  t.equal(await service.countDifferences(client, createRandom(3), 1000), 0, 'answers are the service’s');
  const delayMs = await changeSeen(service, client, 'later');
  t.ok(delayMs <= 1000, `a change is there after ${Math.round(delayMs)} ms`);
  if (openFeature.providerStatus !== ServerProviderStatus.READY) {
    await new Promise<void>((resolve) => openFeature.addHandler(ProviderEvents.Ready, () => resolve()));
  }
  t.equal(openFeature.providerStatus, ServerProviderStatus.READY, 'OpenFeature’s provider is back, too');
}

for (const [name, absence] of Object.entries(absences)) {
  t.test(`a service that is ${name} for five minutes`, { buffered: true }, (t) =>
    liveThrough(t, name, absence),
  );
}
