import { spawnSync } from 'node:child_process';
import t from 'tap';

const assertModule = new URL('../../src/support/assert.js', import.meta.url).href;

/** Runs a program in a process of its own, because a failed assertion affects the whole process. */
function run(program: string) {
  const source = `import { assert } from '${assertModule}';\n${program}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  return { lines: stdout.split('\n').filter((line) => line !== ''), stderr, status };
}

const failing = `
  try {
    assert(1 > 2, 'one is more than two');
    console.log('not reached');
  } catch (fault) {
    console.log('caught:', fault.message);
  }
`;

t.test('a true condition has no effect', async (t) => {
  t.strictSame(run("assert(1 < 2, 'one is less than two');"), { lines: [], stderr: '', status: 0 });
});

t.test('a failed assertion reaches the thread’s handler, also if a caller catches it', async (t) => {
  const { lines, status } = run(`
    process.on('uncaughtException', (fault) => console.log('uncaught:', fault.message));
    ${failing}
  `);
  const what = 'this does not hold: one is more than two';
  t.strictSame(lines, [`caught: ${what}`, `uncaught: ${what}`]);
  t.equal(status, 0);
});

t.test('it ends a thread without a handler', async (t) => {
  const { lines, stderr, status } = run(failing);
  t.strictSame(lines, ['caught: this does not hold: one is more than two']);
  t.match(stderr, /AssertionError: this does not hold: one is more than two/);
  t.equal(status, 1);
});
