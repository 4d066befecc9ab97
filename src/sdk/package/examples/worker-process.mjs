// A process that works through jobs, and pauses while a flag says so.
// Run it: BURGEE_URL=… BURGEE_PROJECT=… BURGEE_TOKEN=… node worker-process.mjs
import { once } from 'node:events';
import { connect } from 'burgee-client';

const flags = await connect({
  url: process.env.BURGEE_URL,
  project: process.env.BURGEE_PROJECT,
  environment: process.env.BURGEE_ENVIRONMENT,
  token: process.env.BURGEE_TOKEN,
});

const changes = new EventTarget();
flags.on('change', (names) => {
  if (names.includes('pause-jobs')) changes.dispatchEvent(new Event('pause-jobs'));
});

for (let job = 1; job <= 3; job += 1) {
  // Nothing is asked again and again: the change wakes the worker.
  while (flags.isOn('pause-jobs', {}, false)) {
    console.log('paused');
    const keepsRunning = setInterval(() => undefined, 60_000);
    await once(changes, 'pause-jobs');
    clearInterval(keepsRunning);
  }
  console.log(`job ${job} is done`);
}
await flags.close();
