import { Button, CloseButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Trial } from '../../../contracts/console/evaluation-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import type { TryFlagBody } from '../../../operations/flags/try-flag.ts';
import { call } from '../../client/call.ts';
import { Failure } from '../../parts/callout.tsx';
import { CheckedForm } from '../../parts/checked-form.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useProject } from '../../shell/project-context.ts';
import { shownEnvironments } from './card-state.ts';
import classes from './try-tab.module.css';
import { useAudiences } from './use-flag-editing.ts';

/** The input of "Try it": kept while another tab is shown. */
export interface TrialInputs {
  /** An environment's number; null for the first one. */
  readonly environment: string | null;
  readonly targetingKey: string;
  readonly cohort: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
}

const noInputs: TrialInputs = { environment: null, targetingKey: '', cohort: '', attributes: [] };

const attributesMax = 100;

type Attribute = TrialInputs['attributes'][number];

interface AttributesProps {
  readonly attributes: readonly Attribute[];
  /** Names for which the audience asks: offered unless they are there. */
  readonly asked: readonly string[];
  readonly onChange: (attributes: Attribute[]) => void;
}

function Attributes({ attributes, asked, onChange }: AttributesProps) {
  const set = (index: number, part: Partial<Attribute>) =>
    onChange(attributes.map((attribute, at) => (at === index ? { ...attribute, ...part } : attribute)));
  const add = (name: string) => onChange([...attributes, { name, value: '' }]);
  const isFull = attributes.length >= attributesMax;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Attributes
      </Text>
      {attributes.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays while it is typed.
        <div key={index} className={classes.attribute}>
          <TextField
            aria-label={`Attribute ${index + 1}`}
            placeholder="plan"
            value={name}
            onText={(name) => set(index, { name })}
          />
          <TextField
            aria-label={`Value of attribute ${index + 1}`}
            placeholder="pro"
            value={value}
            onText={(value) => set(index, { value })}
          />
          <CloseButton
            aria-label={`Remove attribute ${index + 1}`}
            onClick={() => onChange(attributes.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Group gap="xs">
        {asked
          .filter((wanted) => !attributes.some(({ name }) => name === wanted))
          .map((wanted) => (
            <SmallButton key={wanted} disabled={isFull} onClick={() => add(wanted)}>
              Add “{visibleName(wanted)}”
            </SmallButton>
          ))}
        <SmallButton disabled={isFull} onClick={() => add('')}>
          Add attribute
        </SmallButton>
      </Group>
    </Stack>
  );
}

interface TrialFormProps {
  readonly flag: ConsoleFlagView;
  readonly inputs: TrialInputs;
  readonly onInputs: (inputs: TrialInputs) => void;
  readonly isBusy: boolean;
  readonly onTry: (body: TryFlagBody) => void;
}

function TrialForm({ flag, inputs, onInputs, isBusy, onTry }: TrialFormProps) {
  const project = useProject();
  const { environments } = project;
  const { targetingKey, cohort, attributes } = inputs;
  const environment = inputs.environment ?? shownEnvironments(project, flag.states)[0] ?? '0';
  const { audienceId } = flag.states[environment] ?? {};
  const asked = useAudiences()
    .find(({ id }) => id === audienceId)
    ?.rules.map(({ attribute }) => attribute);
  const edit = (part: Partial<TrialInputs>) => onInputs({ ...inputs, ...part });
  const submit = () =>
    onTry({
      environmentNumber: Number(environment),
      ...(targetingKey === '' ? {} : { targetingKey }),
      ...(cohort === '' ? {} : { cohort }),
      attributes: attributes.filter(({ name }) => name !== ''),
    });
  return (
    <Panel title="Ask as a caller">
      <CheckedForm onSubmit={submit}>
        <Stack gap="md">
          {environments.length > 0 && (
            <NativeSelect
              label="Environment"
              value={environment}
              data={environments.map(({ number, name }) => ({ value: String(number), label: name }))}
              onChange={(event) => edit({ environment: event.currentTarget.value })}
            />
          )}
          <TextField
            label="Targeting key"
            description="A stable id of the caller: it decides the bucket"
            value={targetingKey}
            onText={(targetingKey) => edit({ targetingKey })}
          />
          <TextField
            label="Cohort"
            description="Looked up in the flag’s list"
            value={cohort}
            onText={(cohort) => edit({ cohort })}
          />
          <Attributes
            attributes={attributes}
            asked={asked ?? []}
            onChange={(next) => edit({ attributes: next })}
          />
          <Group>
            <Button type="submit" loading={isBusy}>
              Try it
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Panel>
  );
}

const ruleWords = { switch: 'Switch', cohort: 'Cohorts', audience: 'Audience', percentage: 'Rollout' };
const outcomeWords = { decides: 'decided the answer', passes: 'no effect', 'not-reached': 'not reached' };

/** The answer, and the part of each rule, in the order of the rules. */
function TrialResult({ trial }: { readonly trial: Trial }) {
  const { enabled, reason, bucketPercent, steps } = trial;
  const isTold = steps.some(({ rule, outcome }) => rule === 'percentage' && outcome === 'decides');
  return (
    <Panel title="Answer">
      <p className={classes.answer} data-on={enabled}>
        {enabled ? 'On' : 'Off'} <span className={classes.reason}>Reason: {reason}</span>
      </p>
      <ol className={classes.steps}>
        {steps.map(({ rule, outcome, explanation }) => (
          <li key={rule} className={classes.step} data-outcome={outcome}>
            <div className={classes.stepHead}>
              <strong>{ruleWords[rule]}</strong>
              <span className={classes.outcome}>{outcomeWords[outcome]}</span>
            </div>
            <div>{explanation}</div>
          </li>
        ))}
      </ol>
      {bucketPercent !== null && !isTold && (
        <p className={classes.hint}>In the rollout this key would fall at {bucketPercent.toFixed(2)}%.</p>
      )}
    </Panel>
  );
}

interface TryTabProps {
  readonly flag: ConsoleFlagView;
  /** Null before anything was entered. */
  readonly inputs: TrialInputs | null;
  readonly onInputs: (inputs: TrialInputs) => void;
}

/** Evaluates as for an application, and explains the answer. */
export function TryTab({ flag, inputs, onInputs }: TryTabProps) {
  const { id: flagId, projectId } = flag;
  const trial = useMutation({
    mutationFn: (body: TryFlagBody) => call('try-flag', { projectId, flagId }, body),
  });
  return (
    <div className={classes.sides}>
      <TrialForm
        flag={flag}
        inputs={inputs ?? noInputs}
        onInputs={onInputs}
        isBusy={trial.isPending}
        onTry={(body) => trial.mutate(body)}
      />
      <div aria-live="polite">
        <Failure error={trial.error} />
        {trial.data !== undefined && <TrialResult trial={trial.data} />}
        {trial.data === undefined && trial.error === null && (
          <p className={classes.hint}>
            The answer appears here, with the part of each rule. Uses the saved state, not your draft.
          </p>
        )}
      </div>
    </div>
  );
}
