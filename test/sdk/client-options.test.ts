import t from 'tap';
import type { ClientOptions } from '../../src/sdk/burgee-client.ts';
import { checkOptions } from '../../src/sdk/client-options.ts';
import { connect } from '../../src/sdk/connect.ts';

const right = { url: 'https://flags.example.com', project: 'p', environment: 'e', token: 'burgee_secret' };

const wrong: readonly [string, object | null | string, RegExp][] = [
  ['nothing', null, /connect takes an object/],
  ['an address alone', 'https://flags.example.com', /connect takes an object/],
  ['no url', { ...right, url: undefined }, /url must be the address of Burgee, such as/],
  ['an url without a protocol', { ...right, url: 'flags.example.com' }, /url must be the address of Burgee/],
  ['another protocol', { ...right, url: 'ftp://flags.example.com' }, /http:\/\/ or https:\/\//],
  [
    'a password in the url',
    { ...right, url: 'https://u:hidden@flags.example.com' },
    /must not hold a password/,
  ],
  ['a query in the url', { ...right, url: 'https://flags.example.com/?a=b' }, /no \? and no #/],
  ['no project', { ...right, project: '' }, /project must be the id or the slug of a project/],
  ['an empty environment', { ...right, environment: '' }, /Leave it out for a project without/],
  ['no token', { ...right, token: undefined }, /Is its environment variable set\?/],
  ['a token of another type', { ...right, token: 5 }, /Is its environment variable set\?/],
  ['a token with a line break', { ...right, token: 'hidden\n' }, /no spaces, line breaks/],
  ['another mode', { ...right, mode: 'streaming' }, /one of stream, poll, once, not "streaming"/],
  ['a time that is no number', { ...right, startTimeoutMs: '3000s' }, /startTimeoutMs must be a number/],
  ['a negative time', { ...right, startTimeoutMs: -1 }, /startTimeoutMs must be a number/],
  [
    'a bootstrap of another shape',
    { ...right, bootstrap: { flags: [] } },
    /bootstrap is not a configuration/,
  ],
  ['a bootstrap of another type', { ...right, bootstrap: 5 }, /bootstrap must be the path/],
  ['a cache file of another type', { ...right, cacheFile: true }, /cacheFile must be the path/],
  ['an option that is misspelt', { ...right, Token: 'x' }, /there is no option Token. The options are: url,/],
];

t.test('wrong options are refused with what to do, and without secrets', async (t) => {
  for (const [what, options, message] of wrong) {
    await t.rejects(connect(options as ClientOptions), message, what);
    const thrown = (await connect(options as ClientOptions).catch((fault: unknown) => fault)) as Error;
    t.ok(thrown instanceof TypeError, what);
    t.notMatch(thrown.message, /hidden/, what);
  }
});

t.test('right options are taken', async (t) => {
  for (const options of [
    right,
    { ...right, environment: undefined },
    { ...right, token: () => 'burgee_secret' },
    { ...right, environment: null },
    { ...right, url: new URL('http://127.0.0.1:8080/flags/'), mode: 'poll', startTimeoutMs: 0 },
    { ...right, cacheFile: new URL('file:///var/cache/flags.json'), bootstrap: './flags.json' },
  ]) {
    t.ok(checkOptions(options as ClientOptions));
  }
});

t.test('a function is asked for the token with each use, and its answers are checked', async (t) => {
  const answers: unknown[] = ['first', 'second', '', 'hidden\n', 5, Promise.reject(new Error('late'))];
  const { token } = checkOptions({ ...right, token: () => answers.shift() as string });
  t.equal(answers.length, 6, 'not before it is needed');
  t.equal(token(), 'first');
  t.equal(token(), 'second');
  t.throws(token, /Is its environment variable set/);
  t.throws(token, /no spaces, line breaks/);
  t.throws(token, /must be the secret/);
  t.throws(token, /a function that gives one at once/);
});
