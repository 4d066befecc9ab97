import t from 'tap';
import { readDryRun } from '../../../src/domain/management/dry-run.ts';
import { addQueryProblems, parseManagementQuery } from '../../../src/domain/management/management-query.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';

const known = ['env', 'dryRun'] as const;

function read(raw: string): readonly [isDryRun: boolean, problems: string] {
  const query = parseManagementQuery(raw);
  const problems = new ProblemList();
  addQueryProblems(query, known, problems);
  return [readDryRun(query, known, problems), problems.detail()];
}

t.test('only dryRun=true is a dry run', async (t) => {
  t.same(read(''), [false, '']);
  t.same(read('dryRun=false'), [false, '']);
  t.same(read('dryRun=true'), [true, '']);
  t.same(read('env=a&%64ryRun=%74rue'), [true, ''], 'decoded');
  t.same(read('run=z&dry=1&trial=true&draft=x'), [false, ''], 'other parameters have no effect');
  t.same(read('source=rerun&note=re-run;later'), [false, ''], 'nor have their values');
  t.same(read('env=dry-run'), [false, ''], 'a value of a parameter that the route knows');
});

t.test('a possible typing error is a problem', async (t) => {
  for (const value of ['', '=', '=True', '=TRUE', '=1', '=yes', '=true%20', '=%20true', '=truefalse']) {
    t.match(read(`dryRun${value}`)[1], /^query parameter "dryRun" must be true or false$/, value);
  }
  const inCase = ['dryrun', 'DRYRUN', 'DryRun', 'dryRUN', '%44ryRun'];
  const otherwise = [
    'dry-run',
    'dry_run',
    'dry%20run',
    'dry+run',
    'dryRun%20',
    '%20dryRun',
    'dryRun[]',
    'dryRun%00',
    'dryRuns',
    'xdryRun',
    'amp;dryRun',
    'amp%3BdryRun',
    '%26dryRun',
    'dryRun%3Dtrue%26x',
    '%2564ryRun',
    '%EF%BD%84ryRun',
    'dr%C3%BDRun',
  ];
  const misspelt = ['dyrRun', 'dryRum', 'dryRn', 'drryRun', 'dr%D1%83Run'];
  for (const name of [...inCase, ...otherwise, ...misspelt]) {
    t.match(read(`${name}=true`)[1], /^unknown query parameter ".+": write it dryRun$/, name);
  }
  for (const raw of ['x=1;dryRun=true', 'x=1;dryRum=true', 'x=%26dryRun%3Dtrue', 'dryRun%3Dtrue']) {
    t.match(read(raw)[1], /^unknown query parameter ".+": write it dryRun$/, raw);
  }
  t.match(read(`x=1${';a'.repeat(100)};dryRun=true`)[1], /write it dryRun$/, 'behind many separators');
  t.match(read('dryRun=true&dryRun=true')[1], 'query parameter "dryRun" is given more than once');
  t.match(read('dryRun=true&dryrun=false')[1], 'unknown query parameter "dryrun": write it dryRun');
  t.match(read('dryRun=true+')[1], 'unencoded +');
  t.match(read('dryRun=%zz')[1], 'cannot be decoded');
});

t.test('a change compares a bounded number of names', async (t) => {
  const unknown = (count: number): string => Array.from({ length: count }, (_, at) => `p${at}=1`).join('&');
  t.same(read(`dryRun=true&${unknown(64)}`), [true, '']);
  t.match(
    read(`dryRun=true&${unknown(65)}`)[1],
    /^the query has more than 64 parameters, or parts of their values,/,
  );
  t.match(read(`x=1${';a'.repeat(64)};dryRum=true`)[1], /more than 64 parameters/, 'parts of a value count');
  t.match(read(`x=1${';'.repeat(15_000)}`)[1], /more than 64 parameters/);
});
