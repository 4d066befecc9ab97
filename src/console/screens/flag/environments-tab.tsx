import { Button, Group, Menu, NumberInput, Select, Slider, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import type { StateView } from '../../../contracts/console/flag-views.ts';
import { changesBetween, type Fields } from '../../draft/draft.ts';
import { copiedState, partsOfKey, stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { Callout } from '../../parts/callout.tsx';
import { ChangeList } from '../../parts/change-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Mark } from '../../parts/mark.tsx';
import { showDone } from '../../parts/notices.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { useAudiencesAvailable, useCanEdit, useProject } from '../../shell/project-context.ts';
import { EnvironmentCohorts, FlagCohorts } from './cohorts.tsx';
import { EnabledSwitch } from './enabled-switch.tsx';
import classes from './flag.module.css';
import {
  environmentOf,
  type FlagEditing,
  showFlagChange,
  useAudienceName,
  useAudiences,
} from './use-flag-editing.ts';

/** The draft of one environment's state. */
interface StateProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

function draftedState(handle: DraftHandle, environment: string): StateView {
  return {
    enabled: handle.value(stateKey(environment, 'enabled')) as boolean,
    trafficPercentage: handle.value(stateKey(environment, 'trafficPercentage')) as number,
    cohortOverride: handle.value(stateKey(environment, 'cohortOverride')) as string[] | null,
    audienceId: handle.value(stateKey(environment, 'audienceId')) as string | null,
  };
}

interface CopyDialogProps extends StateProps {
  readonly target: string;
  readonly onClose: () => void;
}

function CopyDialog({ environment, handle, target, onClose }: CopyDialogProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const copied = copiedState(draftedState(handle, environment), target);
  const present: Fields = Object.fromEntries(Object.keys(copied).map((key) => [key, handle.value(key)]));
  const changes = changesBetween(present, copied).map(showFlagChange(project));
  const [from, to] = [environment, target].map((number) => environmentOf(project, number)?.name);
  const copy = () => {
    handle.edit(copied);
    showDone(`${to} has the state of ${from} in the draft. It is not saved yet.`);
    onClose();
  };
  return (
    <Dialog onClose={onClose} size="lg" title={`Copy the state of ${from} to ${to}`}>
      <Stack gap="md">
        {changes.length === 0 ? (
          <Text size="sm">Both are the same already.</Text>
        ) : (
          <ChangeList changes={changes} audienceName={audienceName} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button data-autofocus disabled={changes.length === 0} onClick={copy}>
            Apply to the draft
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Copies this environment's state to another one, in the draft, after showing the changes. */
function CopyState({ environment, handle }: StateProps) {
  const { environments } = useProject();
  const [target, setTarget] = useState<string | null>(null);
  const others = environments.filter(({ number }) => String(number) !== environment);
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <SmallButton>Copy to …</SmallButton>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(({ number, name }) => (
            <Menu.Item key={number} onClick={() => setTarget(String(number))}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {target !== null && (
        <CopyDialog
          environment={environment}
          handle={handle}
          target={target}
          onClose={() => setTarget(null)}
        />
      )}
    </>
  );
}

const steps = [0, 10, 25, 50, 75, 100] as const;

interface RolloutProps {
  readonly value: number;
  /** The stored value, while the draft has another one. */
  readonly stored: number;
  readonly isReadOnly: boolean;
  readonly onChange: (value: number) => void;
}

/** A percentage with three inputs: a slider, an exact number, and buttons for the usual steps. */
function Rollout({ value, stored, isReadOnly, onChange }: RolloutProps) {
  const id = useId();
  // The field may be empty while another number is typed. When it loses the focus, it shows the draft's value again.
  const [isEmpty, setEmpty] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid in every browser.
    <div className={classes.rollout} role="group" aria-labelledby={id}>
      <span id={id} className={classes.label}>
        Rollout
        {stored !== value && <span className={classes.was}>was {stored}%</span>}
      </span>
      <NumberInput
        aria-label="Rollout in percent"
        size="xs"
        min={0}
        max={100}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="strict"
        suffix="%"
        value={isEmpty ? '' : value}
        disabled={isReadOnly}
        onBlur={() => setEmpty(false)}
        onChange={(next) => {
          setEmpty(typeof next !== 'number');
          if (typeof next === 'number') onChange(next);
        }}
      />
      <div className={classes.steps}>
        <Slider
          flex="1 1 100%"
          size="sm"
          label={null}
          thumbLabel="Rollout in percent"
          value={value}
          disabled={isReadOnly}
          onChange={onChange}
        />
        {steps.map((step) => (
          <Button
            key={step}
            size="compact-xs"
            variant={step === value ? 'light' : 'default'}
            aria-pressed={step === value}
            disabled={isReadOnly}
            onClick={() => onChange(step)}
          >
            {step}%
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Below Teams an attached audience stays and can be detached, but no other one can be attached. */
function AudienceChoice({ environment, handle }: StateProps) {
  const canEdit = useCanEdit();
  const audiences = useAudiences();
  const isAvailable = useAudiencesAvailable();
  const key = stateKey(environment, 'audienceId');
  const chosen = handle.value(key) as string | null;
  const listed = isAvailable ? audiences : audiences.filter(({ id }) => id === handle.draft.base[key]);
  const isGone = chosen !== null && !listed.some(({ id }) => id === chosen);
  const known = listed.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label="Audience"
      description={isAvailable ? undefined : 'Attaching an audience needs the Teams plan.'}
      placeholder="Everyone"
      clearable
      searchable
      disabled={!canEdit || (!isAvailable && chosen === null)}
      nothingFoundMessage="No audience has this name"
      data={isGone ? [...known, { value: chosen, label: chosen }] : known}
      value={chosen}
      clearButtonProps={{ 'aria-label': 'Everyone' }}
      onChange={(value) => handle.edit({ [key]: value })}
    />
  );
}

interface EnvironmentCardProps {
  /** The environment's number as a decimal. */
  readonly environment: string;
  readonly editing: FlagEditing;
}

/** One environment's state: the switch acts at once, everything below it is a draft. */
function EnvironmentCard({ environment, editing }: EnvironmentCardProps) {
  const project = useProject();
  const canEdit = useCanEdit();
  const { handle } = editing;
  const key = stateKey(environment, 'trafficPercentage');
  const { name = 'State', isProtected = false } = environmentOf(project, environment) ?? {};
  const isEdited = handle.changes.some((change) => partsOfKey(change.key).environment === environment);
  const title = (
    <>
      {name}
      {isProtected && <Mark tone="warn">protected</Mark>}
      {isEdited && <Mark tone="accent">not saved</Mark>}
    </>
  );
  const copy = <CopyState environment={environment} handle={handle} />;
  return (
    <Panel label={name} title={title} aside={canEdit && project.environments.length > 1 && copy}>
      <div className={classes.card}>
        <EnabledSwitch environment={environment} editing={editing} />
        <Rollout
          value={handle.value(key) as number}
          stored={handle.draft.base[key] as number}
          isReadOnly={!canEdit}
          onChange={(value) => handle.edit({ [key]: value })}
        />
        {project.isMultiEnvironment ? (
          <EnvironmentCohorts environment={environment} handle={handle} />
        ) : (
          <FlagCohorts handle={handle} />
        )}
        <AudienceChoice environment={environment} handle={handle} />
      </div>
    </Panel>
  );
}

/** The flag's states by environment, after the list of cohorts that they share. */
export function EnvironmentsTab({ editing }: { readonly editing: FlagEditing }) {
  const { isMultiEnvironment, environments } = useProject();
  const canEdit = useCanEdit();
  const places = isMultiEnvironment ? environments.map(({ number }) => String(number)) : ['0'];
  return (
    <>
      {!canEdit && (
        <div className={classes.wide}>
          <Callout tone="plain">You are a Viewer here. Only Editors can change flags.</Callout>
        </div>
      )}
      {isMultiEnvironment && (
        <div className={classes.wide}>
          <Panel title="Flag-wide cohorts">
            <FlagCohorts handle={editing.handle} />
          </Panel>
        </div>
      )}
      {places.length === 0 && (
        <PageEmpty title="No environment yet">
          The flag has a state in each environment, and this project has no environments.
        </PageEmpty>
      )}
      <div className={classes.cards}>
        {places
          .filter((environment) => Object.hasOwn(editing.flag.states, environment))
          .map((environment) => (
            <EnvironmentCard key={environment} environment={environment} editing={editing} />
          ))}
      </div>
    </>
  );
}
