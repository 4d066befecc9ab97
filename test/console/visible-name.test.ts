import t from 'tap';
import { hasHiddenCharacter, nameParts, visibleName } from '../../src/console/parts/visible-name.ts';

t.test('characters that nobody sees, or that turn text around, are shown as marks', async (t) => {
  t.strictSame(nameParts('a\u202Elive'), [
    { text: 'a', isMark: false },
    { text: '⟨U+202E⟩', isMark: true },
    { text: 'live', isMark: false },
  ]);
  t.equal(visibleName('pay\u200Bment'), 'pay⟨U+200B⟩ment');
  t.equal(visibleName('\u2066x\u2069'), '⟨U+2066⟩x⟨U+2069⟩');
  t.equal(visibleName('a\u00ADb\uFEFFc\u2028d\u0007e'), 'a⟨U+00AD⟩b⟨U+FEFF⟩c⟨U+2028⟩d⟨U+0007⟩e');
  t.equal(visibleName('pay\u200Dment\uFE0F'), 'pay⟨U+200D⟩ment⟨U+FE0F⟩');
  t.equal(visibleName('\u3164'), '⟨U+3164⟩');
  t.equal(visibleName('x\u{E0041}'), 'x⟨U+E0041⟩');
});

t.test('other names stay as they are', async (t) => {
  const names = [
    'gift-cards',
    '',
    'Zürich – naïve',
    'מתג תשלום',
    'می‌خواهم',
    'क्‍ष',
    '👩‍💻 team',
    '❤️',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '👍🏽',
    '1️⃣',
    '葛󠄀',
    'a b',
  ];
  for (const name of names) {
    t.equal(visibleName(name), name);
    t.equal(hasHiddenCharacter(name), false);
  }
});
