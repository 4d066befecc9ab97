import t from 'tap';
import { createRandom } from '../support/random.ts';
import { BootedService, randomDocument } from './booted-service.ts';

t.setTimeout(300_000);

t.test(
  'ten thousand random contexts get the same answers from the Evaluation API and the client',
  async (t) => {
    const random = createRandom(1865);
    const service = await BootedService.boot(t, randomDocument(random, 200));
    const client = await service.startClient(t);
    t.equal(client.status, 'ready');
    t.equal(await service.countDifferences(client, random, 10_000), 0);
  },
);
