import type { TSchema } from 'typebox';
import { type CompiledSchema, compileSchema } from '../contracts/compiled-schema.ts';
import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { readJsonText } from '../domain/management/request-body.ts';
import { type Outcome, refuse, succeed } from '../domain/outcome.ts';
import { ProblemList } from '../domain/problem-list.ts';

/** A stranger's body may be nothing but errors, each of which is worded: more than are listed, and few enough to be quick. */
const errorsMax = 100;

const compiled = new Map<TSchema, CompiledSchema<TSchema>>();

function checkerOf(schema: TSchema): CompiledSchema<TSchema> {
  const known = compiled.get(schema) ?? compileSchema(schema);
  compiled.set(schema, known);
  return known;
}

/**
 * Reads a body and checks it against its operation's shape. All problems are reported at once.
 *
 * @param schema null when a conversation made the body.
 */
export function readConsoleBody(
  schema: TSchema | null,
  bytes: Uint8Array | null,
): Outcome<unknown, ConsoleProblem> {
  const read = readJsonText(bytes);
  if (read.kind === 'unreadable') return refuse('invalid-request', read.problem);
  if (read.kind === 'empty')
    return refuse('invalid-request', 'the request body must be a JSON object, and it is empty');
  const value: unknown = JSON.parse(read.text);
  if (schema === null) return succeed(value);
  const checker = checkerOf(schema);
  if (checker.isRight(value)) return succeed(value);
  const problems = new ProblemList();
  for (const text of checker.problems(value, { name: 'the request body', errorsMax }))
    problems.add(() => text);
  return refuse('invalid-request', problems.detail());
}
