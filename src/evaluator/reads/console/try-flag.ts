import type { TryFlagBody } from '../../../contracts/console/console-bodies.ts';
import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import type { Trial } from '../../../contracts/console/views/evaluation-views.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { findConsoleFlag } from '../../../domain/console/find-in-project.ts';
import { trialOf } from '../../../domain/evaluation/flag-trial.ts';
import { readTrialContext } from '../../../domain/evaluation/trial-context.ts';
import { stateIn } from '../../../domain/flag/flag.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { describeEnvironments } from '../../../domain/project/describe-environments.ts';
import { environmentNumbers } from '../../../domain/project/project.ts';
import { randomRoll } from '../../flag-evaluator.ts';

/** `try-flag`: one evaluation, explained. It is counted nowhere. */
export const tryFlag: ProjectRead = (queries, { params, body }, { project }) => {
  const found = findConsoleFlag(queries, project, params['flagId']);
  if (!found.ok) return found;
  const sent = body as TryFlagBody;
  const problems = new ProblemList();
  if (!environmentNumbers(project).includes(sent.environmentNumber)) {
    const valid = () => (project.isMultiEnvironment ? describeEnvironments(project) : 'send 0');
    problems.add(() => `environmentNumber is that of no environment of this project (${valid()})`);
  }
  const context = readTrialContext(sent, problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  const flag = found.value;
  const { audienceId } = stateIn(flag, sent.environmentNumber);
  const audience = audienceId === null ? null : (queries.audience(audienceId) ?? null);
  const place = { flag, project, environmentNumber: sent.environmentNumber, audience };
  const trial = trialOf(place, context, randomRoll);
  const value: Trial = { ...trial, steps: [...trial.steps] };
  return allow({ value });
};
