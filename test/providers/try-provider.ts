import { resolve } from 'node:path';
import { expect } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Cause, Provider } from './language.ts';
import { type Answered, type ProviderProgram, startProgram } from './provider-program.ts';
import type { ProviderService, RightAnswer } from './provider-service.ts';
import { changingFlag, targets } from './questions.ts';

/** What was seen of one provider. */
export interface Trial {
  readonly questions: number;
  /** Differences by their documented cause. */
  readonly explained: ReadonlyMap<string, number>;
  /** What is wrong with the provider or the service; empty if nothing. */
  readonly problems: readonly string[];
  /** The longest time from an acknowledged change to an answer that shows it, in milliseconds. */
  readonly seenAfterMs: number;
}

/** Of each target's flag: on and off again. */
const changes = 2;
/** How many problems are told one by one. */
const problemsShown = 10;
/** For a provider that is told of changes; one that asks for each answer must see a change with its next question. */
const seenWithinMs = 1000;

/** Starts the provider's program for each target, asks all questions and changes a flag. */
export async function tryProvider(
  provider: Provider,
  folder: string,
  service: ProviderService,
): Promise<Trial> {
  return withLifetime(async (t) => {
    const programs = await startPrograms(t, provider, folder, service);
    const explained = new Map<string, number>();
    const problems: string[] = [];
    for (const right of service.rightAnswers) {
      const difference = await askOne(programs, right);
      if (difference === null) continue;
      const cause = provider.causes.find((cause) => isExplained(cause, right, difference));
      if (cause === undefined) problems.push(difference.text);
      else explained.set(cause.name, (explained.get(cause.name) ?? 0) + 1);
    }
    for (const { name } of provider.causes) {
      if (!explained.has(name)) problems.push(`no question shows any more that ${name}: remove this cause`);
    }
    const seen: number[] = [];
    for (const [index, program] of programs.entries()) {
      for (let change = 0; change < changes; change += 1)
        seen.push(await timeOfChange(program, index, service, provider.way === 'ofrep'));
    }
    return {
      questions: service.rightAnswers.length,
      explained,
      problems: shorten(problems),
      seenAfterMs: Math.max(...seen),
    };
  });
}

function startPrograms(
  t: Lifetime,
  { run: [command, ...args] }: Provider,
  cwd: string,
  { connections }: ProviderService,
): Promise<readonly ProviderProgram[]> {
  // A path in the folder, unlike a name that is looked up.
  const program = { command: command.includes('/') ? resolve(cwd, command) : command, args, cwd };
  return Promise.all(connections.map((connection) => startProgram(t, program, connection)));
}

interface Difference {
  readonly error: string | null;
  readonly text: string;
}

function isExplained(cause: Cause, { question }: RightAnswer, { error }: Difference): boolean {
  return (
    cause.applies(question) && (error === null ? cause.error === null : cause.error?.test(error) === true)
  );
}

/** @returns what is wrong with the answer; null if it is right */
async function askOne(programs: readonly ProviderProgram[], asking: RightAnswer): Promise<Difference | null> {
  const { question, key, answers } = asking;
  // A provider that gives the default of the code is found out where one answer alone is right.
  const asked = { flag: key, context: question.context, fallback: !answers.has(true) };
  const given = await ask(programs, question.target, asked);
  const variant = given.value ? 'on' : 'off';
  if (given.error === null && answers.has(given.value) && given.variant === variant) return null;
  const where = JSON.stringify(targets[question.target]);
  const right = [...answers].join(' or ');
  return {
    error: given.error,
    text: `${JSON.stringify(asked)} of ${where}: ${JSON.stringify(given)}, not ${right}`,
  };
}

function ask(
  programs: readonly ProviderProgram[],
  target: number,
  asked: Parameters<ProviderProgram['ask']>[0],
): Promise<Answered> {
  const program = programs[target];
  if (program === undefined) throw new Error(`no program for target ${target}`);
  return program.ask(asked);
}

/** Turns a flag on or off for everybody. @returns how long after the acknowledgement the provider shows it */
async function timeOfChange(
  program: ProviderProgram,
  target: number,
  service: ProviderService,
  isAskedEachTime: boolean,
): Promise<number> {
  const isOn = await service.turn(target);
  const startedAt = performance.now();
  const asked = { flag: changingFlag, context: { targetingKey: 'anybody' }, fallback: !isOn };
  for (let asks = 1; ; asks += 1) {
    const { value, error } = await program.ask(asked);
    const elapsedMs = performance.now() - startedAt;
    if (value === isOn && error === null) return elapsedMs;
    expect(!isAskedEachTime, `answer ${asks} after an acknowledged change does not show it: ${error}`);
    expect(elapsedMs < seenWithinMs, `a change was not seen within ${seenWithinMs} ms: ${error}`);
  }
}

function shorten(problems: readonly string[]): readonly string[] {
  const rest = problems.length - problemsShown;
  return rest <= 0 ? problems : [...problems.slice(0, problemsShown), `and ${rest} more`];
}
