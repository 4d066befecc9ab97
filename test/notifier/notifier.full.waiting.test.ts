import t, { type Test } from 'tap';
import { attemptsMax } from '../../src/domain/outbox/outbox-delivery.ts';
import { denialEmailIntervalMs } from '../../src/domain/token/denial.ts';
import { memberOf, organisationOf } from '../storage/support/records.ts';
import { startMailServer } from '../support/mail-server.ts';
import { NotifierFixture, startedAt } from './notifier-fixture.ts';

/* The outbox with a real mail server: exactly the accepted mails leave the outbox. */
t.setTimeout(60_000);

t.test(
  'a denial is mailed to the creator and every Owner, each once, and leaves the outbox',
  async (test) => {
    const server = await startMailServer(test);
    const fixture = new NotifierFixture(test);
    const { organisation } = fixture;
    const others = [
      memberOf({ organisationId: organisation.id, email: 'OLIVE@example.test' }),
      memberOf({ organisationId: organisation.id, email: 'second@example.test' }),
      memberOf({ organisationId: organisation.id, email: 'not an address, bcc@example.test' }),
      memberOf({ organisationId: organisation.id, role: 'admin', email: 'admin@example.test' }),
      memberOf({ organisationId: organisationOf().id, email: 'foreign@example.test' }),
    ];
    fixture.apply(others.map((after) => ({ kind: 'member', before: null, after })));
    test.ok(fixture.deny());
    fixture.start(server.url);
    await fixture.asked('settled', 1);
    test.equal(server.mails.length, 1);
    const [mail] = server.mails;
    const to = [...(mail?.to ?? [])].map((address) => address.toLowerCase()).sort();
    test.strictSame(to, ['ed@example.test', 'olive@example.test', 'second@example.test']);
    const headers = new Map(mail?.headers);
    test.equal(headers.get('message-id'), `<denial.${fixture.token.id}.${fixture.now}@flags.example.test>`);
    test.match(headers.get('content-type') ?? '', 'multipart/alternative');
    test.match(headers.get('subject') ?? '', 'API token ci of shop was refused');
    test.match(mail?.raw ?? '', /text\/plain[\s\S]*text\/html/);
    test.equal(fixture.waiting(), 0);
  },
);

t.test(
  'at most one mail in 24 hours for each token: none a millisecond earlier, and the next at 24 hours',
  async (test) => {
    const server = await startMailServer(test);
    const fixture = new NotifierFixture(test);
    fixture.start(server.url);
    test.ok(fixture.deny());
    fixture.look();
    await server.received(1);
    fixture.now += denialEmailIntervalMs - 1;
    test.notOk(fixture.deny());
    fixture.now += 1;
    test.ok(fixture.deny());
    test.notOk(fixture.deny());
    fixture.look();
    await server.received(2);
    await fixture.asked('settled', 2);
    test.equal(server.mails.length, 2);
  },
);

t.test('a temporarily refused mail is sent again when due, with the same Message-ID', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  const ids: string[] = [];
  server.judgeMessage = () => ({ code: 451, text: 'try again later' });
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('postponed', 1);
  test.match(fixture.delivery(), { attempts: 1, nextAttemptAt: fixture.now + 30_000, failedAt: null });
  test.match(fixture.faults, [/451 try again later/]);
  server.judgeMessage = () => null;
  fixture.now += 29_999;
  fixture.look();
  await fixture.asked('take', 3);
  test.equal(server.offered, 1, 'not before its time');
  fixture.now += 1;
  fixture.look();
  await fixture.asked('settled', 1);
  ids.push(...server.mails.flatMap(({ headers }) => new Map(headers).get('message-id') ?? []));
  test.strictSame(ids, [`<denial.${fixture.token.id}.${startedAtOf(fixture)}@flags.example.test>`]);
  test.equal(fixture.waiting(), 0);
  test.equal(fixture.delivery(), undefined, 'and no record of the attempts is left');
});

function startedAtOf({ now }: NotifierFixture): number {
  return now - 30_000;
}

t.test('only the temporarily refused recipient is tried again', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  server.judgeRecipient = (address) =>
    address.startsWith('olive') ? { code: 450, text: 'greylisted' } : null;
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('postponed', 1);
  test.strictSame(fixture.delivery()?.settledMemberIds, [fixture.editor.id]);
  server.judgeRecipient = () => null;
  fixture.now += 30_000;
  fixture.look();
  await fixture.asked('settled', 1);
  test.strictSame(
    server.mails.map(({ to }) => to),
    [['ed@example.test'], ['olive@example.test']],
  );
});

t.test('a permanently refused recipient does not delay the others', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  server.judgeRecipient = (address) =>
    address.startsWith('ed') ? { code: 550, text: 'no such user' } : null;
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('settled', 1);
  test.strictSame(server.mails[0]?.to, ['olive@example.test']);
  test.match(fixture.faults, [/the mail server refused 1 recipients permanently/]);
  test.equal(fixture.waiting(), 0);
});

/** A mail server that refuses permanently, and a mail that was given up because of that. */
async function openWithOneGivenUp(test: Test) {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  server.judgeMessage = () => ({ code: 554, text: 'we do not want this' });
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('postponed', 1);
  return { server, fixture };
}

t.test('a permanently refused mail is kept, and the next process tries it once more', async (test) => {
  const { server, fixture } = await openWithOneGivenUp(test);
  await fixture.asked('take', 3);
  test.equal(fixture.delivery()?.failedAt, fixture.now);
  test.equal(fixture.waiting(), 1);
  fixture.now += denialEmailIntervalMs;
  fixture.look();
  await fixture.asked('take', 4);
  test.equal(server.offered, 1, 'not again in this process');
  await fixture.stop();
  server.judgeMessage = () => null;
  fixture.start(server.url);
  await fixture.asked('settled', 1);
  test.equal(fixture.waiting(), 0);
});

t.test(
  'no mail is lost while the mail server is down, and it is sent when the server is back',
  async (test) => {
    const gone = await startMailServer(test);
    await gone.close();
    const fixture = new NotifierFixture(test);
    fixture.deny();
    fixture.start(gone.url);
    await fixture.asked('postponed', 1);
    test.match(fixture.delivery(), { attempts: 1, failedAt: null, fault: /ECONNREFUSED/ });
    const back = await startMailServer(test, gone.port);
    fixture.now += 30_000;
    await back.received(1);
    await fixture.asked('settled', 1);
    test.equal(fixture.waiting(), 0);
  },
);

t.test('after an outage of days each token has one mail, about the newest denial', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  for (let day = 0; day < 3; day += 1) {
    fixture.now = startedAt + day * denialEmailIntervalMs;
    test.ok(fixture.deny());
  }
  const newest = fixture.now;
  fixture.now += denialEmailIntervalMs - 1000;
  fixture.start(server.url);
  await fixture.asked('settled', 1);
  test.equal(server.mails.length, 1);
  const id = new Map(server.mails[0]?.headers).get('message-id');
  test.equal(id, `<denial.${fixture.token.id}.${newest}@flags.example.test>`);
  test.equal(fixture.waiting(), 0);
  // The mail was sent a moment ago, so the 24 hours count from now and not from its denial.
  fixture.now += denialEmailIntervalMs - 1;
  test.notOk(fixture.deny());
  fixture.now += 1;
  test.ok(fixture.deny());
  fixture.look();
  await fixture.asked('settled', 2);
  test.equal(server.mails.length, 2);
});

t.test('a mail that is given up repeatedly delays no other', async (test) => {
  const { server, fixture } = await openWithOneGivenUp(test);
  await fixture.stop();
  fixture.denyAnother();
  server.judgeMessage = () => null;
  fixture.start(server.url);
  await fixture.asked('settled', 2);
  const ids = server.mails.map(({ headers }) => new Map(headers).get('message-id') ?? '');
  test.equal(ids.length, 2);
  test.match(ids[1], fixture.token.id, 'the given-up mail comes after the due one');
});

t.test('attempts are bounded', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  server.judgeMessage = () => ({ code: 451, text: 'never' });
  fixture.deny();
  fixture.start(server.url);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    await fixture.asked('postponed', attempt);
    fixture.now += 60 * 60 * 1000;
    fixture.look();
  }
  test.match(fixture.delivery(), { attempts: attemptsMax, failedAt: fixture.now - 60 * 60 * 1000 });
  test.equal(server.offered, attemptsMax);
});

t.test('a mail without a remaining recipient is settled without sending', async (test) => {
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test);
  fixture.deny();
  for (const before of [fixture.owner, fixture.editor]) {
    fixture.apply([{ kind: 'member', before, after: null }]);
  }
  fixture.start(server.url);
  await fixture.asked('take', 1);
  test.equal(fixture.waiting(), 0);
  test.equal(server.offered, 0);
});

t.test(
  "a token's creator who is no longer a member gets no mail, also about an earlier denial",
  async (test) => {
    const leavings = {
      'was removed': null,
      'is now without an organisation': { organisationId: null },
      'is now in another organisation': { organisationId: organisationOf().id, role: 'owner' },
    } as const;
    for (const [how, change] of Object.entries(leavings)) {
      const server = await startMailServer(test);
      const fixture = new NotifierFixture(test);
      fixture.deny();
      const before = fixture.editor;
      fixture.apply([{ kind: 'member', before, after: change === null ? null : { ...before, ...change } }]);
      fixture.start(server.url);
      await fixture.asked('settled', 1);
      test.strictSame(
        server.mails.map(({ to }) => to),
        [['olive@example.test']],
        `the creator ${how}`,
      );
    }
  },
);

t.test('no name can begin a header, another recipient or a tag', async (test) => {
  const evil = 'x\r\nBcc: thief@example.test\r\n\r\nbody\u2028y\u202e"<b>&';
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test, { token: evil, project: evil, owner: evil });
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('settled', 1);
  const [mail] = server.mails;
  test.strictSame([...(mail?.to ?? [])].sort(), ['ed@example.test', 'olive@example.test']);
  const names = (mail?.headers ?? []).map(([name]) => name).sort();
  test.strictSame(names, [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
    'x-auto-response-suppress',
  ]);
  const html = decoded(mail?.raw.split('text/html')[1] ?? '');
  test.match(html, '&quot;&lt;b&gt;&amp;');
  test.notMatch(html, '<b>');
  test.notMatch(html, /[\u2028\u202e]/);
});

t.test('a mail reader does not decode a name that looks like an encoded word', async (test) => {
  const evil = '=?utf-8?Q?Pay_now?=';
  const server = await startMailServer(test);
  const fixture = new NotifierFixture(test, { token: evil, project: 'shop', owner: evil });
  fixture.deny();
  fixture.start(server.url);
  await fixture.asked('settled', 1);
  const [head = ''] = (server.mails[0]?.raw ?? '').split('\r\n\r\n');
  test.match(head.replaceAll('\r\n ', ' '), 'Subject: API token = ?utf-8?Q?Pay_now?= of shop was refused');
  test.notMatch(head, '=?utf-8?Q?Pay');
});

/** Undoes quoted-printable. */
function decoded(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
