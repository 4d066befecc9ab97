import { connect, type Socket } from 'node:net';
import t from 'tap';
import { idOf } from '../support/provisioning.ts';
import { bootSync } from './sync-fixture.ts';

t.setTimeout(180_000);

const rounds = 40;
const cohorts = (round: number) =>
  Array.from({ length: 12_000 }, (_, at) => `round-${round}-member-${at}-of-a-cohort`);

t.test('a client that does not read gets the newest state, and never a queue', async (test) => {
  const site = await bootSync(test);
  const flag = idOf(site.shop.flags, 'first');
  const quick = await site.stream();
  const socket: Socket = connect(site.server.port, '127.0.0.1');
  test.teardown(() => socket.destroy());
  socket.write(
    `GET ${site.path()} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${site.secret()}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  await quick.next();
  let sentBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const body = { enabled: true, cohorts: cohorts(round) };
    sentBytes += JSON.stringify(body).length;
    await site.patch(flag, body);
  }
  const { version } = await site.snapshot();
  await quick.reach(version);
  let received = 0;
  let tail = '';
  // On a machine that is so busy that the changes took half a minute, it is cut off.
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length;
      tail = (tail + bytes.toString('latin1')).slice(-1_500_000);
      const isNewest = tail.includes(`round-${rounds - 1}-member-11999`);
      if (isNewest && tail.includes(`"version":"${version}"`)) resolve();
    });
    socket.resume();
  });
  test.ok(received < sentBytes / 2, `${received} bytes of ${sentBytes} were sent`);
  test.strictSame(quick.state.content, await site.content(), 'others are not held up');
});
