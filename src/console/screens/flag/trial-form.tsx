import { Button, CloseButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { TryFlagBody } from '../../../contracts/console/console-bodies.ts';
import { Panel } from '../../parts/panel.tsx';
import { useProject } from '../../shell/project-context.ts';
import classes from './try-tab.module.css';

const attributesMax = 100;

interface Attribute {
  readonly name: string;
  readonly value: string;
}

interface AttributesProps {
  readonly attributes: readonly Attribute[];
  readonly onChange: (attributes: Attribute[]) => void;
}

function Attributes({ attributes, onChange }: AttributesProps) {
  const set = (index: number, part: Partial<Attribute>) =>
    onChange(attributes.map((attribute, at) => (at === index ? { ...attribute, ...part } : attribute)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
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
  readonly isBusy: boolean;
  readonly onTry: (body: TryFlagBody) => void;
}

export function TrialForm({ isBusy, onTry }: TrialFormProps) {
  const { environments } = useProject();
  const [environment, setEnvironment] = useState(String(environments[0]?.number ?? 0));
  const [targetingKey, setTargetingKey] = useState('');
  const [cohort, setCohort] = useState('');
  const [attributes, setAttributes] = useState<readonly Attribute[]>([]);
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
              onChange={(event) => setEnvironment(event.currentTarget.value)}
            />
          )}
          <TextInput
            label="Targeting key"
            description="A stable id of the caller; decides its bucket"
            value={targetingKey}
            onChange={(event) => setTargetingKey(event.currentTarget.value)}
          />
          <TextInput
            label="Cohort"
            description="Looked up in the flag's list"
            value={cohort}
            onChange={(event) => setCohort(event.currentTarget.value)}
          />
          <Attributes attributes={attributes} onChange={setAttributes} />
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
