import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runProgram } from '../../../bench/servers/run-program.ts';
import { eventually } from '../../support/expectations.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

t.test("the program's output is returned, and its error text is in the error", async (t) => {
  const program = join(temporaryDirectory(t), 'program.mjs');
  writeFileSync(
    program,
    "if (process.argv[2] === 'bad') throw new Error('no'); console.log(process.argv[2]);",
  );
  t.equal(await runProgram(program, ['good']), 'good\n');
  await t.rejects(runProgram(program, ['bad']), /Error: no/);
});

t.test('the program ends with the process that runs it', async (t) => {
  const directory = temporaryDirectory(t);
  const [long, pidFile] = [join(directory, 'long.mjs'), join(directory, 'pid')];
  const tellPid = `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
setInterval(() => undefined, 1000);`;
  writeFileSync(long, tellPid);
  const module = new URL('../../../bench/servers/run-program.js', import.meta.url).href;
  const runner = join(directory, 'runner.mjs');
  writeFileSync(
    runner,
    `import { runProgram } from ${JSON.stringify(module)};
process.once('SIGTERM', () => process.exit(143));
await runProgram(${JSON.stringify(long)}, []);`,
  );
  const parent = spawn(process.execPath, [runner], { stdio: 'inherit' });
  const hasBegun = (): boolean => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '';
  await eventually(hasBegun, 10_000, 'the program was not started');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  t.ok(isRunning(pid));
  parent.kill('SIGTERM');
  await once(parent, 'close');
  await eventually(() => !isRunning(pid), 10_000, 'the program still runs');
  t.notOk(isRunning(pid));
});
