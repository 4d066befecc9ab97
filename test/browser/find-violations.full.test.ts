import t from 'tap';
import { findViolations } from './support/find-violations.ts';
import { findChromium, startChromium } from './support/start-chromium.ts';

const programs = findChromium();

const row = (inner: string): string => `<li class="entry"><span>${inner}</span></li>`;
const dim = '<b style="color: #ccc">dim</b>';

t.test('of like rows one is checked, and each row that differs', { skip: programs.skip }, async (t) => {
  const browser = await startChromium(t, programs);
  const page = await browser.newPage();
  const linesOf = async (...rows: readonly string[]): Promise<readonly string[]> => {
    await page.setContent(`<main style="background: white"><ol>${rows.map(row).join('')}</ol></main>`);
    const { lines } = await findViolations(page);
    return lines.filter((line) => line.startsWith('color-contrast'));
  };
  t.equal((await linesOf('one', 'two', 'three')).length, 0);
  t.equal((await linesOf('one', 'two', `three ${dim}`)).length, 1, 'the last row differs');
  t.equal((await linesOf(`one ${dim}`, `two ${dim}`, 'three')).length, 1, 'the first of two like rows');
  t.equal((await linesOf(`one ${dim}`, `<i>two ${dim}</i>`)).length, 2, 'two that differ');
});
