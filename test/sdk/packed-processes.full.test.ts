import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { eventually } from '../support/expectations.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, randomDocument } from './booted-service.ts';
import { entriesOf, installClient, packClient } from './client-package.ts';
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
    installClient(packClient(), directory);
    const random = createRandom(1);
    const service = await BootedService.boot(t, randomDocument(random, 60));
    const questions = service.randomQuestions(random, 1000);
    const task: AskingTask = { options: service.options, questions };
    const file = join(directory, 'task.json');
    writeFileSync(file, JSON.stringify(task));
    const module = pathToFileURL(entriesOf(directory)).href;
    const { lines, lineCount } = runProgram(t, 'answering-processes', [module, file]);

    /** Waits until each process and thread answers all questions as the service does. */
    const expectAll = async (what: string): Promise<void> => {
      const expected = await service.answersTo(questions);
      const isRight = (line: string): boolean => {
        const { status, answers } = JSON.parse(line) as AnswerLine;
        return status === 'ready' && answers === expected;
      };
      const beganAt = performance.now();
      for (const name of processes) {
        await lineCount((line) => (JSON.parse(line) as AnswerLine).by === name && isRight(line), 1);
      }
      t.pass(
        `${what}: 1,000 answers of each are the service's after ${Math.round(performance.now() - beganAt)} ms`,
      );
      const last = new Map(lines.map((line) => [(JSON.parse(line) as AnswerLine).by, line]));
      t.same([...last.keys()].sort(), [...processes].sort());
      t.ok([...last.values()].every(isRight), 'and they stay so');
    };
    await expectAll('at the start');
    await eventually(
      () => service.openConnections === processes.length,
      10_000,
      'each has a connection of its own',
    );
    for (const flag of service.flagIds.slice(0, 20)) {
      await service.patch(flag, {
        enabled: random.chance(0.5),
        trafficPercentage: random.pick([0, 30, 100]),
      });
    }
    await expectAll('after changes');
    await service.kill();
    await service.restart();
    for (const flag of service.flagIds.slice(0, 20)) {
      await service.patch(flag, {
        enabled: random.chance(0.5),
        trafficPercentage: random.pick([0, 50, 100]),
      });
    }
    await expectAll('after the service was killed and started again');
  },
);
