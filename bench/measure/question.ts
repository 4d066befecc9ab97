import type { Comparison, Contender } from '../comparison.ts';
import type { RequestList } from '../load/request-list.ts';
import type { BenchSettings, ComparisonPlan } from '../scenario.ts';

/** A server that is asked, and how. */
export interface AskedContender extends Contender {
  readonly list: RequestList;
  /** Null for a server elsewhere: the CPU time of its process cannot be measured. */
  readonly pid: number | null;
}

/** What is asked of whom: the same question is put by several drivers, and at a fixed rate. */
export interface Question {
  readonly title: string;
  readonly contenders: readonly AskedContender[];
  /** Name of the contender that the others are a ratio of. */
  readonly base: string;
  readonly connections: number;
  /** So many processes make the closed-loop load, each over its share of the connections; one unless given. */
  readonly generators?: number;
  /** Beside connections and seconds a round. */
  readonly settings: Comparison['settings'];
  /** Follows the comparison's id, for a scenario that asks at several sizes. */
  readonly idSuffix?: string;
  /** How many flags an answer holds, where flags a second are of interest. */
  readonly flagsOfAnswer?: number;
  readonly remarks?: readonly string[];
}

/** The fields that a plan has in common with its question. */
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

/** The fields of a contender that the report has. */
export function contenderOf({ name, what, x }: AskedContender): Contender {
  return { name, what, ...(x === undefined ? {} : { x }) };
}

/** The same question put to some of the contenders. */
export function narrowTo(question: Question, names: readonly string[]): Question {
  return { ...question, contenders: question.contenders.filter(({ name }) => names.includes(name)) };
}

/** @throws Error when there is no contender of this name */
export function listOf({ contenders }: Question, name: string): RequestList {
  const found = contenders.find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`no contender is called ${name}`);
  return found.list;
}
