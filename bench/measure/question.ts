import type { Comparison, Contender } from '../comparison.ts';
import type { RequestList } from '../load/request-list.ts';
import type { BenchSettings, ComparisonPlan } from '../scenario.ts';

/** A server and the requests that it gets. */
export interface AskedContender extends Contender {
  readonly list: RequestList;
  /** Null for a remote server: the CPU time of its process cannot be measured. */
  readonly pid: number | null;
}

/**
 * The contenders and what they are compared on. Several drivers, and the generator at a fixed rate, use the same
 * question.
 */
export interface Question {
  readonly title: string;
  readonly contenders: readonly AskedContender[];
  /** Name of the contender that the others are compared with. */
  readonly base: string;
  readonly connections: number;
  /** Number of processes that make the closed-loop load, over which the connections are split; one unless given. */
  readonly generators?: number;
  /** Settings in addition to connections and seconds a round. */
  readonly settings: Comparison['settings'];
  /** A suffix of the comparison's id, for a scenario with several sizes. */
  readonly idSuffix?: string;
  /** Number of flags in an answer, if flags a second should be reported. */
  readonly flagsOfAnswer?: number;
  readonly remarks?: readonly string[];
}

/** The fields that a plan takes from its question. */
export function planOf(
  question: Question,
  { seconds }: BenchSettings,
): Pick<ComparisonPlan, 'title' | 'base' | 'settings' | 'remarks'> {
  const { title, base, connections, settings, remarks } = question;
  return {
    title,
    base,
    settings: { connections, 'seconds a round': seconds, ...settings },
    ...(remarks === undefined ? {} : { remarks }),
  };
}

/** The fields of a contender that the report shows. */
export function contenderOf({ name, what, x }: AskedContender): Contender {
  return { name, what, ...(x === undefined ? {} : { x }) };
}

/** The same question with some of its contenders. */
export function narrowTo(question: Question, names: readonly string[]): Question {
  return { ...question, contenders: question.contenders.filter(({ name }) => names.includes(name)) };
}

/** @throws Error when there is no contender of this name */
export function listOf({ contenders }: Question, name: string): RequestList {
  const found = contenders.find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`no contender is called ${name}`);
  return found.list;
}
