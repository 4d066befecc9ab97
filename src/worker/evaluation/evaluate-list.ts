import type { CompiledRule } from '../../domain/evaluation/compiled-audience.ts';
import type { CompiledFlag, CompiledState } from '../../domain/evaluation/compiled-flag.ts';
import { evaluateFlag, matchesAudience } from '../../domain/evaluation/evaluate-flag.ts';
import type { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { type EvaluationReason, isOn } from '../../domain/evaluation/evaluation-reason.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { utf8BytesMax } from '../../support/utf8.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import type { EvaluationTallies } from './evaluation-tallies.ts';
import type { ListedFlag, ProjectList } from './project-lists.ts';

/** Counters of evaluations: for operators, and for each flag. */
export interface EvaluationCounting {
  readonly meter: EvaluationMeter;
  readonly tallies: EvaluationTallies;
}

/** Writes a flag's answer in a list. @param state null: the flag was compiled for this answer alone */
export type ListForm = (flag: CompiledFlag, state: CompiledState | null, reason: EvaluationReason) => string;

/** As the Evaluation API lists flags. */
export const plainForm: ListForm = ({ onBody, offBody }, _state, reason) => (isOn(reason) ? onBody : offBody);

/** Flags evaluated between two readings of the clock: some ten microseconds, without audiences. */
const flagsOfPiece = 64;
const [openBracket, comma, closeBracket] = Buffer.from('[,]');

/** The buffer in which a piece is built. A yielded piece is valid until the next one is asked for. */
let scratch = createScratch(64 * 1024);

/** Node's own method, which its type declarations lack. `write` would check its arguments again for each body. */
interface Scratch extends Buffer {
  utf8Write(text: string, offset: number): number;
}

function createScratch(bytes: number): Scratch {
  return Buffer.allocUnsafeSlow(bytes) as Scratch;
}

function stateOf({ compiled }: ListedFlag, environmentIndex: number): CompiledState {
  const state = environmentIndex < 0 ? compiled.sole : compiled.states[environmentIndex];
  if (state === null || state === undefined) {
    throw new Error(`flag ${compiled.id} has no state where its project has an environment`);
  }
  return state;
}

/** Compares one context with each audience once, however many flags of a list apply it. */
export function rememberMatches() {
  const known = new Map<readonly CompiledRule[], boolean>();
  return (rules: readonly CompiledRule[], context: EvaluationContext): boolean => {
    const match = known.get(rules) ?? matchesAudience(rules, context);
    known.set(rules, match);
    return match;
  };
}

/** @returns the bytes of the scratch buffer that are in use after the body */
function writeBody(body: string, at: number): number {
  const needed = at + body.length * utf8BytesMax + 2;
  if (needed > scratch.length) {
    const larger = createScratch(2 * needed);
    larger.set(scratch.subarray(0, at));
    scratch = larger;
  }
  return at + scratch.utf8Write(body, at);
}

/**
 * The answer of a project's list for one context: JSON in UTF-8, in pieces.
 * @param environmentIndex in the project's order; -1 in a single-environment project
 */
export function* evaluateList(
  { flags }: ProjectList,
  environmentIndex: number,
  context: EvaluationContext,
  { meter, tallies }: EvaluationCounting,
  form: ListForm,
): Generator<Uint8Array> {
  let separator = openBracket as number;
  const matches = rememberMatches();
  for (let index = 0; index < flags.length; ) {
    const end = Math.min(index + flagsOfPiece, flags.length);
    let length = 0;
    for (; index < end; index += 1) {
      const flag = flags[index] as ListedFlag;
      const { compiled } = flag;
      const state = stateOf(flag, environmentIndex);
      scratch[length] = separator;
      separator = comma as number;
      const reason = evaluateFlag(compiled, state, context, randomRoll, matches);
      meter.countFlagOfProject(reason);
      tallies.count(state.tally, isOn(reason));
      length = writeBody(form(compiled, state, reason), length + 1);
    }
    yield scratch.subarray(0, length);
  }
  yield flags.length === 0
    ? Uint8Array.of(openBracket as number, closeBracket as number)
    : Uint8Array.of(closeBracket as number);
}
