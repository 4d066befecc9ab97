import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyRecorder } from '../load/latency-histogram.ts';
import { answerLoad } from '../load/load-program.ts';
import { evaluationRequest, patchRequest } from './changing-flag.ts';
import { KeptConnection } from './kept-connection.ts';
import { ensureChange, makeChange } from './make-change.ts';
import type { Freshness, FreshnessProbe } from './probe-freshness.ts';

/** Pause between two probes, which makes some 50 to 100 probes a second. */
const pauseMs = 10;
/** A change that does not show after this time never will. */
const staleMaxMs = 10_000;

/**
 * Patches a flag on one connection. Once the patch is acknowledged, evaluates the flag on another connection until the
 * answer changes. An answer is stale if its request began after the acknowledgement and it does not show the change.
 */
async function probe({ origin, readFrom = origin, flag, seconds }: FreshnessProbe): Promise<Freshness> {
  const [writer, reader] = await Promise.all([KeptConnection.open(origin), KeptConnection.open(readFrom)]);
  const question = evaluationRequest(readFrom, flag);
  const recorder = new LatencyRecorder();
  let staleAnswers = 0;
  // Turned off first, so that the first measured patch changes the flag.
  await ensureChange(writer, patchRequest(origin, flag, { enabled: false, trafficPercentage: 100 }));
  const endAtMs = performance.now() + seconds * 1000;
  for (let isOn = true; performance.now() < endAtMs; isOn = !isOn) {
    await makeChange(writer, patchRequest(origin, flag, { enabled: isOn }));
    const acknowledgedAtMs = performance.now();
    const stale = await askUntil(reader, question, isOn);
    recorder.recordMs(performance.now() - acknowledgedAtMs);
    staleAnswers += stale;
    await sleep(pauseMs);
  }
  writer.close();
  reader.close();
  return {
    probes: recorder.count,
    staleAnswers,
    p50Us: recorder.percentileUs(50),
    p99Us: recorder.percentileUs(99),
    histogram: recorder.encode(),
  };
}

/** @returns how many stale answers came before the first fresh one */
async function askUntil(reader: KeptConnection, question: Buffer, isOn: boolean): Promise<number> {
  const untilMs = performance.now() + staleMaxMs;
  for (let stale = 0; performance.now() < untilMs; stale += 1) {
    const { status, body } = await reader.ask(question);
    if (status !== 200) throw new Error(`the probe's flag was answered ${status}: ${body.toString('utf8')}`);
    const { enabled } = JSON.parse(body.toString('utf8')) as { readonly enabled: boolean };
    if (enabled === isOn) return stale;
  }
  throw new Error(`an acknowledged change did not show within ${staleMaxMs} ms`);
}

await answerLoad(probe);
