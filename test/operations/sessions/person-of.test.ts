import t from 'tap';
import { OpenIdFault } from '../../../src/operations/sessions/open-id/open-id-fault.ts';
import { personOf } from '../../../src/operations/sessions/open-id/person-of.ts';

const claims = { iss: 'https://id.example', sub: 'ada' };

t.test('an email is verified only if the provider says so', async (t) => {
  for (const [said, isEmailVerified] of [
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    ['yes', false],
    [1, false],
    [undefined, false],
    [null, false],
  ] as const) {
    const person = personOf({ ...claims, email: 'ada@id.example', email_verified: said });
    t.strictSame(person, {
      ...{ issuer: 'https://id.example', subject: 'ada', email: 'ada@id.example', isEmailVerified },
      names: ['ada@id.example'],
    });
  }
});

t.test("the claims for a person's name have an order of preference", async (t) => {
  const named = personOf({ ...claims, nickname: 'a', preferred_username: 'ada1', name: 'Ada', email: 5 });
  t.strictSame(named.names, ['Ada', 'ada1', 'a']);
  t.equal(named.email, null);
  t.strictSame(personOf({ ...claims, name: 'x'.repeat(1025), email: '' }).names, []);
});

t.test('an invalid subject is refused', async (t) => {
  t.equal(personOf({ ...claims, sub: 'x'.repeat(255) }).subject.length, 255);
  for (const sub of ['', 'x'.repeat(256), 'ä', 'a\nb', 5, undefined]) {
    t.throws(() => personOf({ ...claims, sub }), OpenIdFault);
  }
});
