import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import t from 'tap';
import { readSmtpUrl, sendMail } from '../../src/notifier/send-mail.ts';

t.setTimeout(60_000);

t.test('a password that the mail server repeats is removed from the error', async (t) => {
  const password = 'sesame street';
  const encoded = Buffer.from(password).toString('base64');
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error(`user ernie with ${password}, that is ${encoded}`)),
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const settings = readSmtpUrl(`smtp://ernie:${encodeURIComponent(password)}@127.0.0.1:${port}`);
  const address = 'burgee@example.test';
  const words = { messageId: '<1@example.test>', subject: 'x', text: 'x', html: '<p>x</p>' };
  const outcome = await sendMail(settings, { ...words, from: address, to: [{ name: '', address }] });
  t.match(outcome, { kind: 'failed', isUnreachable: true, fault: /user ernie with …, that is …/ });
});
