import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readResultFile, readResults, readSavedResults } from '../../bench/report/result-file.ts';
import { saveResult } from '../../bench/report/result-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { sampleComparison, sampleHistogram, sampleReport, sampleResult } from './sample-comparison.ts';

const comparison = {
  ...sampleComparison([1.5, 2e-7], [3, 4]),
  histograms: { burgee: sampleHistogram([100]) },
  remarks: ['a [ 1, 2 ] remark'],
};
const result = sampleResult(sampleReport(comparison));

t.test('a result is read as it was saved', async (t) => {
  const root = temporaryDirectory(t);
  t.strictSame(readSavedResults(root), [], 'no folder, no results');
  const path = saveResult(root, result);
  t.equal(path, join(root, 'bench', 'results', 'evaluate-flag.json'));
  t.strictSame(readResultFile(path), result);
  t.match(readFileSync(path, 'utf8'), '"burgee": [1.5, 2e-7]', "a contender's rounds are on one line");
  saveResult(root, sampleResult({ ...result.report, scenario: 'patch' }));
  t.strictSame(
    readSavedResults(root).map(({ report }) => report.scenario),
    ['evaluate-flag', 'patch'],
  );
});

t.test('a malformed result is refused, and the error says where', async (t) => {
  const folder = temporaryDirectory(t);
  const path = join(folder, 'bad.json');
  const refuse = (value: unknown, message: RegExp): void => {
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    t.throws(() => readResults(path), { message });
  };
  t.throws(() => readResults(join(folder, 'none.json')), { message: /none\.json does not exist/ });
  refuse('{', /bad\.json is no JSON/);
  refuse({ ...result, format: 2 }, /bad\.json is no result of the bench suite: \/format/);
  refuse([result, { ...result, run: 1 }], /bad\.json, entry 1 is no result of the bench suite: \/run/);
  const withComparison = (changes: object) => ({
    ...result,
    report: { ...result.report, comparisons: [{ ...comparison, ...changes }] },
  });
  refuse(withComparison({ base: 'nobody' }), /comparison throughput-wrk: the base nobody is no contender/);
  refuse(withComparison({ rounds: 3 }), /requestsPerSecond of burgee has not 3 values/);
  refuse(withComparison({ id: '../../etc' }), /\/report\/comparisons\/0\/id/);
  refuse(withComparison({ histograms: { nobody: '' } }), /a histogram is of nobody/);
});
