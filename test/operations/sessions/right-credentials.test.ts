import t from 'tap';
import { PasswordDesk } from '../../../src/front/password-desk.ts';
import { checksPerAttempt, rightCredentials } from '../../../src/operations/sessions/password-checks.ts';
import { hashPassword, isPasswordOf } from '../../../src/support/password-hash.ts';

const password = 'correct horse battery';

/** A desk that counts what it really checks. */
function openDesk() {
  let checks = 0;
  const desk = new PasswordDesk((hash, given) => {
    checks += 1;
    return isPasswordOf(hash, given);
  });
  return { desk, count: () => checks };
}

function credentials(hashes: readonly string[]) {
  return hashes.map((passwordHash, index) => {
    const memberId = `member-${index}`;
    return { memberId, organisationName: `organisation ${index}`, passwordHash };
  });
}

t.test(
  'a wrong password is as much work for nobody as for a member of any number of organisations',
  async (t) => {
    const hash = await hashPassword(password);
    for (const members of [0, 1, 2, 3, 4, 16]) {
      const { desk, count } = openDesk();
      const meant = credentials(Array.from({ length: members }, () => hash));
      t.strictSame(await rightCredentials(meant, 'a wrong password', desk), [], `${members} members`);
      t.equal(count(), checksPerAttempt, `${members} members`);
    }
  },
);

t.test('a right one finds all that it fits', async (t) => {
  const [mine, other] = await Promise.all([hashPassword(password), hashPassword('another password')]);
  const { desk, count } = openDesk();
  const meant = credentials([other, mine, other, mine, mine]);
  const right = await rightCredentials(meant, password, desk);
  if (right === 'busy') throw new Error('Nobody else is at the desk');
  t.strictSame(
    right.map(({ memberId }) => memberId),
    ['member-1', 'member-3', 'member-4'],
  );
  t.equal(count(), 2 * checksPerAttempt);
});

t.test('the decoy is nobody’s password', async (t) => {
  const { desk } = openDesk();
  t.strictSame(await desk.checkEach([null, null], password), [false, false]);
});
