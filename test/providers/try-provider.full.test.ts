import t from 'tap';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Cause, Language, Provider } from './language.ts';
import { bootProviderService } from './provider-service.ts';
import { isFailure, runLanguage } from './run-language.ts';
import { tryProvider } from './try-provider.ts';

/* That a provider which is wrong is found out: programs of a few words in the place of a provider's. */
const folder = temporaryDirectory(t);
const service = await bootProviderService(t, 1);

const loop = (answer: string): string => `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const asked = JSON.parse(line);
    console.log(asked.flag === undefined ? '{"ready":true}' : JSON.stringify(${answer}));
  });`;

function providerThat(script: string, causes: readonly Cause[] = []): Provider {
  return { way: 'ofrep', package: 'none', version: '0', run: [process.execPath, '-e', script], causes };
}

const givesDefaults = loop(`{ value: asked.fallback, variant: asked.fallback ? 'on' : 'off', error: null }`);

t.test('a provider that gives the default of the code is found out', async (t) => {
  const { rightAnswers } = service;
  t.ok(
    rightAnswers.some(({ answers }) => answers.size === 1 && answers.has(true)),
    'some must be true',
  );
  t.ok(
    rightAnswers.some(({ answers }) => answers.size === 1 && answers.has(false)),
    'others false',
  );
  t.ok(
    rightAnswers.some(({ answers }) => answers.size === 2),
    'and some either',
  );
  await t.rejects(tryProvider(providerThat(givesDefaults), folder, service), /does not show it/);
});

t.test('a provider that evaluates in process and sees a change too late is found out', async (t) => {
  // It shows each change 1.2 s after it was asked for the first time.
  const late = loop(
    `asked.flag === 'announced-change' ? { value: (Date.now() - (globalThis[asked.fallback] ??= Date.now()) > 1200) !== asked.fallback, variant: 'x', error: null } : { value: asked.fallback, variant: null, error: 'LAZY' }`,
  );
  const provider: Provider = { ...providerThat(late), way: 'flagd' };
  await t.rejects(tryProvider(provider, folder, service), /was not seen within 1000 ms/);
});

t.test('a provider is tried with each question, and a cause explains its own questions alone', async (t) => {
  // It answers the questions about the changing flag, true and false by turns, and no other.
  const script = loop(
    `asked.flag === 'announced-change' ? { value: !asked.fallback, variant: asked.fallback ? 'off' : 'on', error: null } : { value: asked.fallback, variant: null, error: 'LAZY' }`,
  );
  const lazy: Cause = { name: 'it is lazy', error: /LAZY/, applies: (question) => question.isAskedById };
  const never: Cause = { name: 'never', error: null, applies: () => true };
  const trial = await tryProvider(providerThat(script, [lazy, never]), folder, service);
  const byId = service.rightAnswers.filter(({ question }) => question.isAskedById).length;
  t.same([...trial.explained], [['it is lazy', byId]]);
  const others = service.rightAnswers.length - byId + 1;
  t.equal(trial.problems.length, 11);
  t.equal(trial.problems.at(-1), `and ${others - 10} more`);
});

t.test('a cause that no question shows any more is a problem', async (t) => {
  const script = loop(
    `asked.flag === 'announced-change' ? { value: !asked.fallback, variant: 'x', error: null } : { value: asked.fallback, variant: null, error: 'LAZY' }`,
  );
  const all: Cause = { name: 'all', error: /LAZY/, applies: () => true };
  const gone: Cause = { name: 'it was mended', error: /MENDED/, applies: () => true };
  const { problems } = await tryProvider(providerThat(script, [all, gone]), folder, service);
  t.match(problems, [/it was mended: remove this cause/]);
  t.equal(problems.length, 1);
});

t.test('a program that ends is reported with what it wrote', async (t) => {
  const script = `console.error('no such package'); process.exit(1)`;
  await t.rejects(tryProvider(providerThat(script), folder, service), /no such package/);
});

t.test('a language whose tool is missing is skipped, unless each is required', async (t) => {
  const language: Language = {
    name: 'none',
    tools: [['no-such-compiler', '--version']],
    steps: [],
    providers: [providerThat('')],
  };
  const note = (): void => {};
  const [skipped] = await runLanguage(language, service, false, note);
  t.match(skipped, { result: { skipped: 'not found: no-such-compiler --version' } });
  const [failed] = await runLanguage(language, service, true, note);
  t.match(failed, { result: { failed: 'not found: no-such-compiler --version' } });
  t.same(
    [skipped, failed].map((outcome) => outcome && isFailure(outcome)),
    [false, true],
  );
});
