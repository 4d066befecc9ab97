/**
 * A program with a client, whose process has bad days on demand. Arguments: the module of the installed client, and a file
 * with the client's options and with questions. It prints its answers after each change of them or of the client's status.
 * Lines of its input: `still` and milliseconds, for which its event loop stands still; `jump` and milliseconds, by which
 * its wall clock jumps. It ends when its input ends.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AskingTask } from './answering-processes.ts';

const [module = '', file = ''] = process.argv.slice(2);
const { connect } = (await import(module)) as typeof import('../../../src/sdk/connect.ts');
const { options, questions } = JSON.parse(readFileSync(file, 'utf8')) as AskingTask;
const flags = await connect(options);

function tell(): void {
  const answers = questions.map(([flag, context]) => Number(flags.isOn(flag, context, false))).join('');
  console.log(JSON.stringify({ by: 'odd process', status: flags.status, answers }));
}

flags.on('change', tell);
flags.on('status', tell);
tell();

const { now } = Date;
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [command, value] = line.split(' ');
    const ms = Number(value);
    if (command === 'jump') Date.now = () => now() + ms;
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  })
  .on('close', () => process.exit(0));
