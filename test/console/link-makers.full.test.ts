import t, { type Test } from 'tap';
import { newSecretText } from '../../src/domain/token/token-secret.ts';
import { checkStore } from '../../src/storage/check.ts';
import { hashSecret } from '../../src/support/hash-secret.ts';
import { creationOf, linkOf } from '../storage/support/records.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';
import { password, secretIn } from './console-fixture.ts';
import { PreparedStore } from './prepared-store.ts';

/* A one-time link works only while its maker may make such a link, and while its member has the role of that time. */
t.setTimeout(120_000);

const dayMs = 24 * 60 * 60 * 1000;

class LinkStage {
  readonly prepared = new PreparedStore();
  readonly ownerId = this.prepared.addMember('owner');
  readonly #t: Test;
  #server: BootedServer | null = null;

  constructor(t: Test) {
    this.#t = t;
  }

  async start(): Promise<void> {
    const dataDir = temporaryDirectory(this.#t);
    await this.prepared.write(dataDir);
    this.#server = await bootServer(this.#t, { dataDir });
  }

  /** At the end the store must be sound. */
  async stop(): Promise<void> {
    const { server } = this;
    await server.stop();
    this.#t.strictSame([...checkStore(server.dataDir)], []);
  }

  get server(): BootedServer {
    if (this.#server === null) throw new Error('the stage has not been started');
    return this.#server;
  }

  as(memberId: string): ConsoleClient {
    return this.prepared.client(this.#t, this.server.port, memberId);
  }

  async signInLink(maker: string, memberId: string): Promise<string> {
    const made = await this.as(maker).send('POST', `/members/${memberId}/sign-in-link`);
    this.#t.equal(made.status, 201, made.text);
    return secretIn(made.json.url);
  }

  async invitation(maker: string, email: string, role = 'viewer'): Promise<string> {
    const made = await this.as(maker).send('POST', '/invitations', { email, role });
    this.#t.equal(made.status, 201, made.text);
    return secretIn(made.json.url);
  }

  async edit(memberId: string, change: object): Promise<void> {
    const edited = await this.as(this.ownerId).send('PATCH', `/members/${memberId}`, change);
    this.#t.equal(edited.status, 200, edited.text);
  }

  /** @returns the answers to reading the link and to following it */
  async follow(secret: string): Promise<readonly number[]> {
    const client = new ConsoleClient(this.#t, { port: this.server.port });
    const seen = await client.send('POST', '/link', { secret });
    const used = await client.send('POST', '/link/use', { secret, name: 'New', password });
    return [seen.status, used.status];
  }
}

t.test(
  'an Admin’s link for a member who has since become an Owner does not sign the Admin in as Owner',
  async (t) => {
    const stage = new LinkStage(t);
    const [adminId, editorId] = [stage.prepared.addMember('admin'), stage.prepared.addMember('editor')];
    const [kept, invited] = [0, 1].map(() => newSecretText(crypto.getRandomValues(new Uint8Array(32))));
    const links = [
      { secret: kept ?? '', purpose: { kind: 'sign-in', memberId: stage.ownerId } },
      { secret: invited ?? '', purpose: { kind: 'invitation', email: 'new@example.test', role: 'owner' } },
    ] as const;
    stage.prepared.add(
      links.map(({ secret, purpose }) =>
        creationOf(
          'one-time-link',
          linkOf(stage.prepared.organisation.id, {
            secretHash: hashSecret(secret),
            ...{ purpose, createdBy: adminId, expiresAt: Date.now() + dayMs },
          }),
        ),
      ),
    );
    await stage.start();
    for (const { secret, purpose } of links) {
      t.strictSame(await stage.follow(secret), [410, 410], `an Admin’s ${purpose.kind} of an Owner`);
    }
    const secret = await stage.signInLink(adminId, editorId);
    await stage.edit(editorId, { revision: 1, role: 'owner' });
    t.strictSame(await stage.follow(secret), [410, 410]);
    await stage.stop();
  },
);

t.test('links of a former Admin, or of a member who has left, do not work', async (t) => {
  const stage = new LinkStage(t);
  const [demoted, removed, stays] = [0, 1, 2].map(() => stage.prepared.addMember('admin'));
  const viewers = [0, 1, 2].map(() => stage.prepared.addMember('viewer'));
  await stage.start();
  const made: (readonly [signIn: string, invitation: string])[] = [];
  for (const [index, maker] of [demoted, removed, stays].entries()) {
    made.push([
      await stage.signInLink(maker ?? '', viewers[index] ?? ''),
      await stage.invitation(maker ?? '', `n${index}@example.test`),
    ]);
  }
  const untouched = await stage.invitation(demoted ?? '', 'untouched@example.test');
  await stage.edit(demoted ?? '', { revision: 1, role: 'editor' });
  const owner = stage.as(stage.ownerId);
  t.equal((await owner.send('DELETE', `/members/${removed}`)).status, 204);
  const { invitations } = (await owner.send('GET', '/invitations')).json;
  t.match(invitations, [{ email: 'n2@example.test' }], 'the working links are listed');
  t.equal(invitations.length, 1);
  const again = await stage.invitation(stage.ownerId, 'n0@example.test');

  const [ofDemoted, ofRemoved, ofAdmin] = made;
  for (const secret of [...(ofDemoted ?? []), ...(ofRemoved ?? [])]) {
    t.strictSame(await stage.follow(secret), [410, 410]);
  }
  await stage.edit(demoted ?? '', { revision: 2, role: 'admin' });
  t.strictSame(
    await stage.follow(ofDemoted?.[1] ?? ''),
    [410, 410],
    'a replaced invitation does not become valid again',
  );
  t.strictSame(await stage.follow(untouched), [410, 410], 'nor does an invitation that was not replaced');
  t.strictSame(await stage.follow(again), [200, 200]);
  for (const secret of ofAdmin ?? []) t.strictSame(await stage.follow(secret), [200, 200]);
  await stage.stop();
});

t.test('a new role ends the member’s sign-in links, a new name does not', async (t) => {
  const stage = new LinkStage(t);
  const memberId = stage.prepared.addMember('viewer');
  const other = stage.prepared.addMember('viewer');
  await stage.start();
  const kept = await stage.signInLink(stage.ownerId, other);
  const first = await stage.signInLink(stage.ownerId, memberId);
  await stage.edit(memberId, { revision: 1, name: 'New name' });
  t.strictSame(await stage.follow(first), [200, 200]);
  const second = await stage.signInLink(stage.ownerId, memberId);
  const { revision } = (await stage.as(stage.ownerId).send('GET', '/members')).json.members.find(
    ({ id }: { id: string }) => id === memberId,
  );
  await stage.edit(memberId, { revision, role: 'editor' });
  t.strictSame(await stage.follow(second), [410, 410]);
  t.strictSame(await stage.follow(kept), [200, 200]);
  await stage.stop();
});

t.test('a new password ends the member’s sign-in links', async (t) => {
  const stage = new LinkStage(t);
  const adminId = stage.prepared.addMember('admin');
  const memberId = stage.prepared.addMember('viewer');
  const otherId = stage.prepared.addMember('viewer');
  await stage.start();
  const [other, first] = [
    await stage.signInLink(adminId, otherId),
    await stage.signInLink(adminId, memberId),
  ];
  const set = await stage.as(memberId).send('POST', '/password', { password });
  t.equal(set.status, 204, set.text);
  t.strictSame(await stage.follow(first), [410, 410], 'set under Settings');

  const { email } = (await stage.as(memberId).send('GET', '/session')).json.member;
  const command = ['member', 'sign-in-link', email, '--data-dir', stage.server.dataDir];
  const printed = await Promise.all([0, 1].map(() => runBurgeeOrThrow(command)));
  const [used = '', left = ''] = printed.map((line) => secretIn(line.trim()));
  t.strictSame(await stage.follow(used), [200, 200]);
  t.strictSame(await stage.follow(left), [410, 410], 'set through another link');
  t.strictSame(await stage.follow(other), [200, 200], 'another member’s link still works');
  await stage.stop();
});

t.test('no member can make a sign-in link for themselves', async (t) => {
  const stage = new LinkStage(t);
  const adminId = stage.prepared.addMember('admin');
  await stage.start();
  for (const id of [stage.ownerId, adminId]) {
    const refused = await stage.as(id).send('POST', `/members/${id}/sign-in-link`);
    t.equal(refused.status, 403);
    t.match(refused.json.detail, /for somebody else/);
  }
  await stage.stop();
});

t.test(
  'following a sign-in link is in the audit log, with the link, its maker and the address',
  async (t) => {
    const stage = new LinkStage(t);
    const adminId = stage.prepared.addMember('admin');
    const memberId = stage.prepared.addMember('viewer');
    await stage.start();
    const follow = async (secret: string, given: object) => {
      const client = new ConsoleClient(t, { port: stage.server.port });
      t.equal((await client.send('POST', '/link/use', { secret, ...given })).status, 200);
    };
    await follow(await stage.signInLink(adminId, memberId), {});
    const { email } = (await stage.as(memberId).send('GET', '/session')).json.member;
    const command = ['member', 'sign-in-link', email, '--data-dir', stage.server.dataDir];
    await follow(secretIn((await runBurgeeOrThrow(command)).trim()), { password });

    const { entries } = (await stage.as(adminId).send('GET', '/audit')).json;
    const [passwordSet, second, madeSecond, first, made] = entries;
    const actor = { kind: 'member', id: memberId };
    for (const [entry, maker, making] of [
      [first, adminId, made],
      [second, 'operator', madeSecond],
    ]) {
      t.match(entry, { actor, action: 'member.follow-sign-in-link', targetId: memberId });
      t.match(making, { action: 'member.make-sign-in-link', changes: [{ field: 'linkId' }, {}] });
      t.strictSame(entry.changes, [
        { field: 'linkId', before: null, after: making.changes[0].after, cut: null, totals: null },
        { field: 'linkMadeBy', before: null, after: maker, cut: null, totals: null },
        { field: 'address', before: null, after: '127.0.0.1', cut: null, totals: null },
      ]);
      t.type(entry.requestId, 'string');
    }
    t.match(passwordSet, { actor, action: 'member.edit', changes: [{ field: 'password', after: 'set' }] });
    t.equal(entries.length, 5);
    await stage.stop();
  },
);
