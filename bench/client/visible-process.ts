import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/sdk/connect.ts';
import { patchRequest } from '../changes/changing-flag.ts';
import { KeptConnection } from '../changes/kept-connection.ts';
import { ensureChange, makeChange } from '../changes/make-change.ts';
import { LatencyRecorder } from '../load/latency-histogram.ts';
import { answerLoad } from '../load/load-program.ts';
import type { Visibility, VisibleProbe } from './probe-visible.ts';

/** Pause between two changes. */
const pauseMs = 10;
/** A change that the client has not seen after this time never will be. */
const seenWithinMs = 10_000;

/** Patches a flag, and waits until a connected client evaluates by the change. */
async function probe({ origin, flag, projectId, seconds }: VisibleProbe): Promise<Visibility> {
  const client = await connect({ url: origin, project: projectId, token: flag.writeToken });
  if (client.status !== 'ready') throw new Error(`the client is ${client.status}: ${client.why}`);
  const writer = await KeptConnection.open(origin);
  const recorder = new LatencyRecorder();
  let expected: boolean | null = null;
  let noteSeen: () => void = () => undefined;
  client.on('change', () => {
    if (client.isOn(flag.id, {}, expected === false) === expected) noteSeen();
  });
  await ensureChange(writer, patchRequest(origin, flag, { enabled: false, trafficPercentage: 100 }));
  const endAtMs = performance.now() + seconds * 1000;
  for (let isOn = true; performance.now() < endAtMs; isOn = !isOn) {
    expected = isOn;
    const seen = new Promise<number>((resolve) => {
      noteSeen = () => resolve(performance.now());
    });
    await makeChange(writer, patchRequest(origin, flag, { enabled: isOn }));
    const acknowledgedAtMs = performance.now();
    const late = sleep(seenWithinMs, null, { ref: true });
    const seenAtMs = await Promise.race([seen, late]);
    if (seenAtMs === null) throw new Error(`a change was not seen within ${seenWithinMs} ms`);
    // It may be seen before its acknowledgement arrives.
    recorder.recordMs(Math.max(0, seenAtMs - acknowledgedAtMs));
    await sleep(pauseMs);
  }
  writer.close();
  await client.close();
  return { p50Us: recorder.percentileUs(50), p99Us: recorder.percentileUs(99), histogram: recorder.encode() };
}

await answerLoad(probe);
process.exit(0);
