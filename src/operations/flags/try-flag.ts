import { type Static, Type } from 'typebox';
import { type Trial, trialSchema } from '../../contracts/console/evaluation-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { findConsoleFlag } from '../../domain/console/find-in-project.ts';
import { evaluableOf } from '../../domain/evaluation/evaluable-flag.ts';
import { readTrialContext, trialOf } from '../../domain/evaluation/flag-trial.ts';
import { stateIn } from '../../domain/flag/flag.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { describeEnvironments, environmentNumbers } from '../../domain/project/project.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { optional } from '../body-parts.ts';
import { consoleRead, inProject } from '../operation.ts';

const sent = shape({
  environmentNumber: Type.Integer({ minimum: 0 }),
  targetingKey: optional(text),
  cohort: optional(text),
  /** At most 100 attributes. A name may occur several times. */
  attributes: optional(Type.Array(shape({ name: text, value: text }))),
});
export type TryFlagBody = Static<typeof sent>;

/** `try-flag`: one evaluation with its explanation. It is counted nowhere. */
export const tryFlag = consoleRead('try-flag', {
  route: 'POST /projects/{projectId}/flags/{flagId}/trial',
  access: inProject('viewer'),
  body: sent,
  answer: trialSchema,
  run: (queries, { params, body }, { project }) => {
    const found = findConsoleFlag(queries, project, params['flagId']);
    if (!found.ok) return found;
    const sent = body as TryFlagBody;
    const problems = new ProblemList();
    if (!environmentNumbers(project).includes(sent.environmentNumber)) {
      const valid = () => (project.isMultiEnvironment ? describeEnvironments(project) : 'send 0');
      problems.add(() => `environmentNumber is not an environment of this project (${valid()})`);
    }
    const context = readTrialContext(sent, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const { audienceId } = stateIn(found.value, sent.environmentNumber);
    const audience = audienceId === null ? null : (queries.audience(audienceId) ?? null);
    const flag = evaluableOf(found.value);
    const place = { flag, project, environmentNumber: sent.environmentNumber, audience };
    const trial = trialOf(place, context, randomRoll);
    const value: Trial = { ...trial, steps: [...trial.steps] };
    return succeed({ value });
  },
});
