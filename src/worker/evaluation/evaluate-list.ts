import type { CompiledState } from '../../domain/evaluation/compiled-flag.ts';
import { evaluateFlag } from '../../domain/evaluation/evaluate-flag.ts';
import type { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { isOn } from '../../domain/evaluation/evaluation-reason.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { utf8BytesMax } from '../../support/utf8.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import type { EvaluationTallies } from './evaluation-tallies.ts';
import type { ListedFlag, ProjectList } from './project-list.ts';

/** Where evaluations are counted: for operators, and flag by flag. */
export interface EvaluationCounting {
  readonly meter: EvaluationMeter;
  readonly tallies: EvaluationTallies;
}

/** Flags between two looks at the clock: some ten microseconds. */
const flagsOfPiece = 64;
const [openBracket, comma, closeBracket] = Buffer.from('[,]');

/** Where a piece is put together. What was yielded is valid until the next piece is asked for. */
let scratch = createScratch(64 * 1024);

/** Node's own method, which its type declarations leave out: `write` finds out its arguments anew for each body. */
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
 * The answer of a project's list for one context, as JSON bytes in pieces.
 * @param environmentIndex in the project's order; -1 in a single-environment project
 */
export function* evaluateList(
  { flags }: ProjectList,
  environmentIndex: number,
  context: EvaluationContext,
  { meter, tallies }: EvaluationCounting,
): Generator<Uint8Array> {
  let separator = openBracket as number;
  for (let start = 0; start < flags.length; start += flagsOfPiece) {
    const end = Math.min(start + flagsOfPiece, flags.length);
    let length = 0;
    for (let index = start; index < end; index += 1) {
      const flag = flags[index] as ListedFlag;
      scratch[length] = separator;
      separator = comma as number;
      const { compiled } = flag;
      const state = stateOf(flag, environmentIndex);
      const reason = evaluateFlag(compiled, state, context, randomRoll);
      const isFlagOn = isOn(reason);
      meter.countFlagOfProject(reason);
      tallies.count(state.tally, isFlagOn);
      length = writeBody(isFlagOn ? compiled.onBody : compiled.offBody, length + 1);
    }
    yield scratch.subarray(0, length);
  }
  yield flags.length === 0
    ? Uint8Array.of(openBracket as number, closeBracket as number)
    : Uint8Array.of(closeBracket as number);
}
