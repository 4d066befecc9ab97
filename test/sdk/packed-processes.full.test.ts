import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, newDirectory, randomDocument } from './booted-service.ts';
import { builtClient, entriesOf, installClient } from './client-package.ts';
import type { AnswerLine, AskingTask } from './programs/answering-processes.ts';
import { runProgram } from './programs/run-program.ts';

t.setTimeout(180_000);

const processes = [
  'first process',
  'cluster worker 1',
  'cluster worker 2',
  'forked process',
  'thread 1',
  'thread 2',
];

t.test(
  'a program with a client makes processes and threads of itself: each follows the service',
  async (t) => {
    const directory = temporaryDirectory(t);
    installClient(builtClient, directory);
    const random = createRandom(1);
    const service = await BootedService.boot(t, randomDocument(random, 60));
    const questions = service.randomQuestions(random, 1000);
    const task: AskingTask = { options: service.options, questions };
    const file = join(directory, 'task.json');
    writeFileSync(file, JSON.stringify(task));
    const module = pathToFileURL(entriesOf(directory)).href;
    const { lines } = runProgram(t, 'answering-processes', [module, file]);

    /** What each process and thread has told last. */
    const last = new Map<string, AnswerLine>();
    let read = 0;

    /** Waits until each process and thread answers all questions as the service does. */
    const expectAll = async (what: string): Promise<void> => {
      const expected = await service.answersTo(questions);
      const areRight = (): boolean => {
        for (; read < lines.length; read += 1) {
          const line = JSON.parse(lines[read] ?? '') as AnswerLine;
          last.set(line.by, line);
        }
        return (
          [...last.keys()].sort().join() === [...processes].sort().join() &&
          [...last.values()].every(({ status, answers }) => status === 'ready' && answers === expected)
        );
      };
      await eventually(areRight, 60_000, `1,000 answers of each are the service's, ${what}`);
      t.pass(what);
    };
    const changeFlags = async (): Promise<void> => {
      for (const flag of service.flagIds.slice(0, 20)) {
        await service.patch(flag, {
          enabled: random.chance(0.5),
          trafficPercentage: random.pick([0, 30, 100]),
        });
      }
    };
    await expectAll('at the start');
    await eventually(
      () => service.openConnections === processes.length,
      10_000,
      'each has a connection of its own',
    );
    await changeFlags();
    await expectAll('after changes');
    const backup = newDirectory(t, 'backup');
    await runBurgeeOrThrow(['backup', backup, '--data-dir', service.server.dataDir]);
    await service.kill();
    await service.restart();
    await changeFlags();
    await expectAll('after the service was killed and started again');
    await service.server.stop();
    const restored = newDirectory(t, 'restored');
    await runBurgeeOrThrow(['restore', backup, '--data-dir', restored]);
    await service.restart(restored);
    await expectAll('after an older backup was restored');
    await changeFlags();
    await expectAll('after changes of that');
  },
);
