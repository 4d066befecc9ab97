import { Button, CloseButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import type { TryFlagBody } from '../../../operations/flags/try-flag.ts';
import { Panel } from '../../parts/panel.tsx';
import { useProject } from '../../shell/project-context.ts';
import type { TrialInputs } from './trial-inputs.ts';
import classes from './try-tab.module.css';

const attributesMax = 100;

type Attribute = TrialInputs['attributes'][number];

interface AttributesProps {
  readonly attributes: readonly Attribute[];
  readonly onChange: (attributes: Attribute[]) => void;
}

function Attributes({ attributes, onChange }: AttributesProps) {
  const set = (index: number, part: Partial<Attribute>) =>
    onChange(attributes.map((attribute, at) => (at === index ? { ...attribute, ...part } : attribute)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Attributes
      </Text>
      {attributes.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays while it is typed.
        <div key={index} className={classes.attribute}>
          <TextInput
            aria-label={`Attribute ${index + 1}`}
            placeholder="plan"
            value={name}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of attribute ${index + 1}`}
            placeholder="pro"
            value={value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          <CloseButton
            aria-label={`Remove attribute ${index + 1}`}
            onClick={() => onChange(attributes.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          disabled={attributes.length >= attributesMax}
          onClick={() => onChange([...attributes, { name: '', value: '' }])}
        >
          Add attribute
        </Button>
      </Group>
    </Stack>
  );
}

interface TrialFormProps {
  readonly inputs: TrialInputs;
  readonly onInputs: (inputs: TrialInputs) => void;
  readonly isBusy: boolean;
  readonly onTry: (body: TryFlagBody) => void;
}

export function TrialForm({ inputs, onInputs, isBusy, onTry }: TrialFormProps) {
  const { environments } = useProject();
  const { targetingKey, cohort, attributes } = inputs;
  const environment = inputs.environment ?? String(environments[0]?.number ?? 0);
  const edit = (part: Partial<TrialInputs>) => onInputs({ ...inputs, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onTry({
      environmentNumber: Number(environment),
      ...(targetingKey === '' ? {} : { targetingKey }),
      ...(cohort === '' ? {} : { cohort }),
      attributes: attributes.filter(({ name }) => name !== ''),
    });
  };
  return (
    <Panel title="Ask as a caller">
      <form onSubmit={submit}>
        <Stack gap="md">
          {environments.length > 0 && (
            <NativeSelect
              label="Environment"
              value={environment}
              data={environments.map(({ number, name }) => ({ value: String(number), label: name }))}
              onChange={(event) => edit({ environment: event.currentTarget.value })}
            />
          )}
          <TextInput
            label="Targeting key"
            description="A stable id of the caller: it decides the bucket"
            value={targetingKey}
            onChange={(event) => edit({ targetingKey: event.currentTarget.value })}
          />
          <TextInput
            label="Cohort"
            description="Looked up in the flag’s list"
            value={cohort}
            onChange={(event) => edit({ cohort: event.currentTarget.value })}
          />
          <Attributes attributes={attributes} onChange={(next) => edit({ attributes: next })} />
          <Group>
            <Button type="submit" loading={isBusy}>
              Try it
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
