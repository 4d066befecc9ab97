import { useMutation } from '@tanstack/react-query';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import type { TryFlagBody } from '../../../operations/flags/try-flag.ts';
import { call } from '../../client/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { TrialForm } from './trial-form.tsx';
import type { TrialInputs } from './trial-inputs.ts';
import { TrialResult } from './trial-result.tsx';
import classes from './try-tab.module.css';

interface TryTabProps {
  readonly flag: ConsoleFlagView;
  readonly inputs: TrialInputs;
  readonly onInputs: (inputs: TrialInputs) => void;
}

/** Asks as an application would, and explains the answer. */
export function TryTab({ flag, inputs, onInputs }: TryTabProps) {
  const { id: flagId, projectId } = flag;
  const trial = useMutation({
    mutationFn: (body: TryFlagBody) => call('try-flag', { projectId, flagId }, body),
  });
  return (
    <div className={classes.sides}>
      <TrialForm
        inputs={inputs}
        onInputs={onInputs}
        isBusy={trial.isPending}
        onTry={(body) => trial.mutate(body)}
      />
      <div aria-live="polite">
        <Failure error={trial.error} />
        {trial.data !== undefined && <TrialResult trial={trial.data} />}
        {trial.data === undefined && trial.error === null && (
          <p className={classes.hint}>
            The answer appears here, with each rule’s part in it. What is stored now is asked, not your draft.
          </p>
        )}
      </div>
    </div>
  );
}
