import t from 'tap';
import { emailCharsMax } from '../../../src/domain/bounds.ts';
import { isEmailAddress } from '../../../src/domain/member/member.ts';

t.test('an address is one local part and one domain', async (t) => {
  for (const right of [
    'a@b',
    "ann.o'hara+flags@example.test",
    'jürgen@müller.example',
    `${'x'.repeat(64)}@b`,
  ]) {
    t.ok(isEmailAddress(right), right);
  }
  for (const wrong of ['', 'a', '@b', 'a@', 'a@b@c', ' a@b', 'a@b ', 'a\u00a0b@c', `${'x'.repeat(65)}@b`]) {
    t.notOk(isEmailAddress(wrong), JSON.stringify(wrong));
  }
  t.ok(isEmailAddress(`a@${'b'.repeat(emailCharsMax - 2)}`));
  t.notOk(isEmailAddress(`a@${'b'.repeat(emailCharsMax - 1)}`));
});

t.test('no member has an address that could end a header or begin another address', async (t) => {
  for (const mark of '<>()[]\\,;:"\r\n\0\u2028\ud800') {
    const name = `U+${mark.charCodeAt(0).toString(16)}`;
    t.notOk(isEmailAddress(`a${mark}b@example.test`), name);
    t.notOk(isEmailAddress(`a@example${mark}test`), name);
  }
});
