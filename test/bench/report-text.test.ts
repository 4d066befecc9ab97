import t from 'tap';
import type { ScenarioReport, Target } from '../../bench/comparison.ts';
import { judgeTarget } from '../../bench/report/judge-target.ts';
import { formatNumber, formatRatio, formatSetting, formatShare } from '../../bench/report/numbers.ts';
import { formatDuration, Progress } from '../../bench/report/progress.ts';
import { reportText } from '../../bench/report/report-text.ts';
import { sampleComparison, sampleReport } from './sample-comparison.ts';

const comparison = sampleComparison([41_000, 42_000, 30_000], [50_000, 50_000, 50_000]);

function targetOf(bound: Target['bound'], of: Target['of'] = 'ratio'): Target {
  const place = { comparison: 'throughput-wrk', metric: 'requestsPerSecond', contender: 'burgee' };
  return { what: 'throughput', ...place, of, bound };
}

t.test('numbers look the same on every machine', async (t) => {
  t.equal(formatNumber(1_234_567.891, 1), '1,234,567.9');
  t.equal(formatNumber(-1234, 0), '-1,234');
  t.equal(formatNumber(999, 0), '999');
  t.strictSame([0.7712, 12.34, 1234.5].map(formatRatio), ['0.771', '12.3', '1,235']);
  t.strictSame([1000, 0.25, 'ext4'].map(formatSetting), ['1,000', '0.25', 'ext4']);
  t.strictSame([0.031, 0.31].map(formatShare), ['3.1 %', '31 %']);
  t.strictSame([0.4, 59, 60, 200].map(formatDuration), ['0 s', '59 s', '1 min', '3 min 20 s']);
});

t.test('the table has median, ratio and spread of every contender, and marks noise', async (t) => {
  const text = reportText({
    ...sampleReport({ ...comparison, remarks: ['the generator was late'] }),
    targets: [targetOf({ atLeast: 0.72 })],
    missing: [{ name: 'unleash-server', why: 'no PostgreSQL here' }],
  });
  t.match(text, 'driven by wrk 4.1.0; rounds 3, connections 64, flags 10,000');
  t.match(text, /^ {2}burgee +41,000 +0\.820 +29 % +noise$/m);
  t.match(text, /^ {2}bare +50,000 +base +0\.0 %$/m);
  t.match(text, /^note: the generator was late$/m);
  t.match(text, /^throughput-wrk: throughput +at least 0\.72 of bare +0\.820 +29 % +reached \(noise\)$/m);
  t.match(text, /^not measured: unleash-server: no PostgreSQL here$/m);
});

t.test('a target is reached, or the text says by how much it is missed', async (t) => {
  const report: ScenarioReport = sampleReport(comparison);
  const judge = (target: Target) => judgeTarget(report, target);
  t.match(judge(targetOf({ atLeast: 0.82 })), { verdict: 'reached', figure: '0.820' });
  t.match(judge(targetOf({ atLeast: 1 })), { verdict: 'missed', text: /^missed by 18 %/ });
  t.match(judge(targetOf({ atMost: 0.8 })), { verdict: 'missed', text: /^missed by 2\.5 %/ });
  t.match(judge(targetOf({ atMost: 0.9 })), { verdict: 'reached' });
  t.match(judge(targetOf({ atLeast: 41_000 }, 'value')), {
    verdict: 'reached',
    bound: 'at least 41,000',
    figure: '41,000',
  });
  t.match(judge(targetOf({ atMost: 0 }, 'value')), { text: /^missed by 41,000/ });
});

t.test('a target that was not measured is reported with the reason', async (t) => {
  const judged = (changed: Partial<Target>) =>
    judgeTarget(sampleReport(comparison), { ...targetOf({ atMost: 1 }), ...changed });
  t.match(judged({ contender: 'nobody' }), {
    verdict: 'not measured',
    text: 'not measured: there is no figure of nobody',
  });
  t.match(judged({ metric: 'processCpuUs' }), {
    text: 'not measured: this system does not offer processCpuUs',
  });
  t.match(judged({ comparison: 'latency' }), { text: 'not measured: latency was not run' });
  const withoutWrk = sampleReport({ ...comparison, id: 'throughput-autocannon' });
  t.match(judgeTarget(withoutWrk, targetOf({ atMost: 1 })), { text: 'not measured: wrk did not drive' });
});

const step = { comparison: 'latency', contender: 'burgee', rounds: 2, total: 4 };

t.test('a terminal gets one line of progress that is redrawn', async (t) => {
  let written = '';
  let nowMs = 0;
  const stream = { isTTY: true, columns: 100, write: (text: string) => (written += text) };
  const progress = new Progress(stream, () => nowMs);
  progress.beginScenario('evaluate-flag', 2, 10);
  progress.step({ ...step, round: 1, done: 0 }, 5);
  t.match(written, '\r\x1b[Kevaluate-flag (2 of 10) [--------------------] latency, round 1 of 2: burgee');
  nowMs = 60_000;
  progress.step({ ...step, round: 1, done: 1 }, 5);
  t.match(written, '[#####---------------] latency, round 1 of 2: burgee, about 3 min left');
  progress.clear();
  t.ok(written.endsWith('\r\x1b[K'));
  t.notMatch(written, '\n');
  for (const line of written.split('\r\x1b[K')) t.ok(line.length < 100);
});

t.test('without a terminal there is a line for each round', async (t) => {
  const lines: string[] = [];
  const progress = new Progress({ write: (text: string) => lines.push(text) }, () => 0);
  progress.beginScenario('patch', 1, 1);
  for (const [done, round] of [1, 1, 2, 2].entries()) progress.step({ ...step, round, done }, 5);
  progress.note('applying flags');
  progress.clear();
  t.strictSame(lines, [
    'patch: starting\n',
    'patch: latency, round 1 of 2, about 20 s left of it\n',
    'patch: latency, round 2 of 2, about 0 s left of it\n',
    'patch: applying flags\n',
  ]);
});
