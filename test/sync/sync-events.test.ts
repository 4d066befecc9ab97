import { createParser, type EventSourceMessage } from 'eventsource-parser';
import t from 'tap';
import { shortEvent } from '../../src/worker/sync/sync-events.ts';

function read(bytes: Uint8Array): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(Buffer.from(bytes).toString());
  return events;
}

t.test('a goodbye to a client that was told nothing yet leaves it its position', async (t) => {
  const [event] = read(shortEvent('goodbye', null, { retryAfterMs: 1500 }));
  t.strictSame(event, { id: undefined, event: 'goodbye', data: '{"retryAfterMs":1500}' });
});

t.test('an event has the position that its client knows then', async (t) => {
  const [event] = read(shortEvent('beat', 'history.7', { version: 'history.7' }));
  t.strictSame(event, { id: 'history.7', event: 'beat', data: '{"version":"history.7"}' });
});
