import t from 'tap';
import type { ScenarioReport, Target } from '../../bench/comparison.ts';
import { judgeTarget } from '../../bench/report/judge-target.ts';
import { sampleComparison, sampleReport } from './sample-comparison.ts';

const comparison = sampleComparison([41_000, 42_000, 30_000], [50_000, 50_000, 50_000]);

function targetOf(bound: Target['bound'], of: Target['of'] = 'ratio'): Target {
  const place = { comparison: 'throughput-wrk', metric: 'requestsPerSecond', contender: 'burgee' };
  return { what: 'throughput', ...place, of, bound };
}

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
