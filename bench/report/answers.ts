import type { ResultFile } from '../comparison.ts';
import { escapeMarkdown, markdownTable } from './markdown.ts';
import { measured, measuredText } from './measured.ts';

/** A question that a reader asks, and the measured figures that answer it. */
interface Answer {
  readonly question: string;
  readonly figures: readonly ReturnType<typeof measured>[];
}

function answer(question: string, ...figures: readonly ReturnType<typeof measured>[]): Answer {
  return { question, figures };
}

const answers: readonly Answer[] = [
  answer(
    'How many evaluations of one flag does one worker answer?',
    measured('evaluate-flag/throughput-wrk/burgee/requestsPerSecond', 'value', 'a second'),
    measured('evaluate-flag/throughput-wrk/burgee/requestsPerSecond', 'ratio', 'of a constant answer'),
  ),
  answer(
    'How long does an evaluation take at half load?',
    measured('evaluate-flag/latency/burgee/p50Us', 'value', 'µs (p50)'),
    measured('evaluate-flag/latency/burgee/p99Us', 'value', 'µs (p99)'),
  ),
  answer(
    'What do many flags, cohorts and attributes cost?',
    measured('evaluate-mixed/throughput-wrk/evaluate-mixed/requestsPerSecond', 'ratio', 'of one flag'),
  ),
  answer(
    'What does a million flags cost, against 100?',
    measured('scale-flags/throughput-wrk/1,000,000 flags/requestsPerSecond', 'ratio', 'of the throughput'),
  ),
  answer(
    'How many lists of a project of 100 flags are answered?',
    measured('evaluate-project/throughput-wrk-100/burgee/requestsPerSecond', 'value', 'a second'),
  ),
  answer(
    'What does OFREP cost, against the Evaluation API?',
    measured('ofrep/throughput-wrk/ofrep/requestsPerSecond', 'ratio', 'of the throughput'),
  ),
  answer(
    'What do 1,000 changes a second cost evaluations?',
    measured(
      'evaluate-while-patching/throughput-wrk/1,000 changes a second/requestsPerSecond',
      'ratio',
      'of the throughput',
    ),
    measured(
      'evaluate-while-patching/freshness/1,000 changes a second/staleAnswers',
      'value',
      'stale answers',
    ),
  ),
  answer(
    'How many durable changes do 64 writers make?',
    measured('patch/writers/64 writers/changesPerSecond', 'value', 'a second'),
  ),
  answer(
    'How long does a single durable change take?',
    measured('patch/single-writer/1 writer/p50Us', 'value', 'µs (p50)'),
    measured('patch/single-writer/1 writer/p50Us', 'ratio', 'of a bare commit'),
  ),
  answer(
    'What does a cluster cost evaluations?',
    measured('cluster/throughput-wrk/node/requestsPerSecond', 'ratio', 'of a service alone'),
  ),
  answer(
    'How many durable changes does a cluster of three nodes make?',
    measured('cluster/writers/64 writers, 3 nodes/changesPerSecond', 'value', 'a second'),
  ),
  answer(
    'How soon do 10,000 sync streams have a change?',
    measured('sync-streams/reach/10,000 streams/p99Ms', 'value', 'ms (p99)'),
  ),
  answer(
    'How much memory does a stream of flagd take?',
    measured("flagd-streams/memory/streams of flagd's providers/bytes", 'value', 'bytes'),
  ),
  answer(
    'How many evaluations of another tenant are answered during attacks, and how fast?',
    measured('hostile/*/attacked/evaluationsAnswered', 'value', '%'),
    measured('hostile/*/attacked/p99Ms', 'value', 'ms (p99)'),
  ),
  answer(
    'How long does a start take?',
    measured('cold-start/cold-start/empty/startUpMs', 'value', 'ms'),
    measured('cold-start/cold-start/100,000 flags/startUpMs', 'value', 'ms with 100,000 flags'),
  ),
  answer(
    'How much memory does the process have under load?',
    measured('peers/rules-64/burgee/residentMiB', 'value', 'MiB'),
  ),
  answer(
    'How fast is the fastest other server, flagr?',
    measured('peers/rules-64/flagr/requestsPerSecond', 'ratio', 'of the throughput'),
    measured('peers/rules-64/flagr/processCpuUs', 'ratio', 'of the CPU time'),
  ),
  answer(
    'How long does burgee-client evaluate in process?',
    measured('client/in-process/burgee-client/cpuNs', 'value', 'ns'),
  ),
  answer(
    'How soon is a change in burgee-client?',
    measured('client/change-visible/burgee-client/p50Ms', 'value', 'ms (p50)'),
  ),
  answer(
    'How soon does the console show the first of 10,000 flags?',
    measured('console/list/large/firstRowsMs', 'value', 'ms'),
  ),
];

/** @returns the section with the answers that were measured */
export function answersSection(results: readonly ResultFile[]): string {
  const rows = answers.flatMap(({ question, figures }) => {
    const texts = figures.flatMap((figure) => measuredText(results, figure) ?? []);
    const scenario = figures[0]?.scenario ?? '';
    if (texts.length === 0) return [];
    return [
      [
        escapeMarkdown(question),
        escapeMarkdown(texts.join(', ')),
        `[\`npm run bench -- ${scenario}\`](benchmarks/${scenario}.md)`,
      ],
    ];
  });
  return `## Answers\n\n${markdownTable(['Question', 'Figure', 'Command'], rows, 'left')}`;
}
