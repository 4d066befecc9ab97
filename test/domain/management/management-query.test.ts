import t from 'tap';
import { chooseEnvironment } from '../../../src/domain/management/environment-choice.ts';
import {
  addQueryProblems,
  type ManagementParameter,
  parseManagementQuery,
  readParameter,
  requestedEnvironments,
} from '../../../src/domain/management/management-query.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import { projectWith } from './domain-fixture.ts';

function problemsOf(raw: string, known: readonly ManagementParameter[] = ['env', 'name']): string {
  const problems = new ProblemList();
  addQueryProblems(parseManagementQuery(raw), known, problems);
  return problems.detail();
}

t.test('unknown parameters are ignored, repeated or with a plus or not', async (t) => {
  t.equal(problemsOf('x=1&x=2&y=a+b&env=staging&name=a%20b&&='), '');
  t.equal(problemsOf('name=a+b&name=c', ['env']), '', 'a parameter that the route does not know is unknown');
  t.equal(problemsOf(''), '');
});

t.test('every decoding problem is reported, in the order sent', async (t) => {
  const hint = 'a % must begin the percent-encoded bytes of UTF-8 text (a percent sign is %25)';
  t.equal(problemsOf('x=%zz'), `query parameter "x" cannot be decoded: ${hint}`);
  t.equal(problemsOf('%ff=1'), `the name of a query parameter cannot be decoded: ${hint}`);
  t.equal(problemsOf('x=é'), 'query parameter "x" has a character outside ASCII: percent-encode it as UTF-8');
  t.equal(
    problemsOf('name=a+b'),
    'query parameter "name" has an unencoded +: encode a plus as %2B and a space as %20',
  );
  t.equal(problemsOf('env=a&env=a'), 'query parameter "env" is given more than once');
  t.equal(problemsOf('env=a&env=a&%65nv=a'), 'query parameter "env" is given more than once');
  t.match(
    problemsOf('z=%&name=1&name=+&env=%80'),
    /^query parameter "z" .*"name" .*more than once; .*unencoded \+.*"env" cannot/,
  );
});

t.test('a parameter has a value if it was sent once and is well-formed', async (t) => {
  const read = (raw: string) => readParameter(parseManagementQuery(raw), 'name');
  t.strictSame(read('name=a%2Bb'), { isSent: true, value: 'a+b' });
  t.strictSame(read('name'), { isSent: true, value: '' });
  t.strictSame(read('names=x'), { isSent: false, value: null });
  for (const raw of ['name=a&name=b', 'name=a+b', 'name=%', 'name=é']) {
    t.strictSame(read(raw), { isSent: true, value: null }, raw);
  }
});

t.test('every decodable env counts as requested', async (t) => {
  t.strictSame(requestedEnvironments(parseManagementQuery('env=a&x=1&env=%zz&%65nv=b&env=')), ['a', 'b', '']);
});

t.test('an environment is chosen by the kind of project', async (t) => {
  const choose = (environments: string[] | null, raw: string, isRequired: boolean) => {
    const problems = new ProblemList();
    const query = parseManagementQuery(raw);
    const environment = chooseEnvironment(projectWith(environments), query, isRequired, problems);
    return environment?.name ?? problems.detail();
  };
  const drop = 'drop the query parameter "env": this project has a single environment';
  const valid = '(valid ones: production, staging)';
  const group = ['production', 'staging'];
  t.equal(choose(group, 'env=staging', true), 'staging');
  t.equal(choose(group, '', false), '');
  t.equal(
    choose(group, '', true),
    `add the query parameter "env": this project has several environments ${valid}`,
  );
  t.equal(choose(group, 'env=', false), `unknown environment "" in the query parameter "env" ${valid}`);
  t.equal(
    choose(group, 'env=Staging', true),
    `unknown environment "Staging" in the query parameter "env" ${valid}`,
  );
  t.equal(choose(group, 'env=%zz', true), '', 'decoding has reported it already');
  t.equal(
    choose([], 'env=a', true),
    'unknown environment "a" in the query parameter "env" (it has no environments yet)',
  );
  t.equal(choose(null, 'env=a', true), drop);
  t.equal(choose(null, 'env=', false), drop);
  t.equal(choose(null, '', true), '');
  t.equal(
    choose(['__proto__'], 'env=constructor', false).startsWith('unknown environment "constructor"'),
    true,
  );
  t.equal(choose(['__proto__'], 'env=__proto__', false), '__proto__');
});
