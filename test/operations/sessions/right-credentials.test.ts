import t from 'tap';
import { PasswordQueue } from '../../../src/front/password-queue.ts';
import { checksPerAttempt, rightCredentials } from '../../../src/operations/sessions/password-checks.ts';
import { hashPassword, isPasswordOf } from '../../../src/support/password-hash.ts';

const password = 'correct horse battery';

const caller = { limitKey: '192.0.2.1', account: 'ada@example.com', isKnown: false };

/** A queue that counts its real password checks. */
function openQueue() {
  let checks = 0;
  const isRight = (hash: string, given: string): Promise<boolean> => {
    checks += 1;
    return isPasswordOf(hash, given);
  };
  const queue = new PasswordQueue({ hash: hashPassword, isRight });
  return { queue, count: () => checks };
}

function credentials(hashes: readonly string[]) {
  return hashes.map((passwordHash, index) => {
    const memberId = `member-${index}`;
    return { memberId, organisationName: `organisation ${index}`, passwordHash };
  });
}

t.test(
  'a wrong password costs the same work for an unknown email as for a member of any number of organisations',
  async (t) => {
    const hash = await hashPassword(password);
    for (const members of [0, 1, 2, 3, 4, 16]) {
      const { queue, count } = openQueue();
      const meant = credentials(Array.from({ length: members }, () => hash));
      t.strictSame(
        await rightCredentials(meant, 'a wrong password', queue, caller),
        [],
        `${members} members`,
      );
      t.equal(count(), checksPerAttempt, `${members} members`);
    }
  },
);

t.test('a right password finds all its members', async (t) => {
  const [mine, other] = await Promise.all([hashPassword(password), hashPassword('another password')]);
  const { queue, count } = openQueue();
  const meant = credentials([other, mine, other, mine, mine]);
  const right = await rightCredentials(meant, password, queue, caller);
  if (right === 'busy') throw new Error('the queue has no other users');
  t.strictSame(
    right.map(({ memberId }) => memberId),
    ['member-1', 'member-3', 'member-4'],
  );
  t.equal(count(), 2 * checksPerAttempt);
});

t.test('no password matches the decoy', async (t) => {
  const { queue } = openQueue();
  t.strictSame(await queue.check(caller, [null, null], password), [false, false]);
});
