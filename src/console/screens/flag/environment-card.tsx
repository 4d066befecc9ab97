import { ActionIcon, Group, Progress, Select } from '@mantine/core';
import X from 'lucide-react/icons/x';
import { reachOf } from '../../../domain/flag/reach.ts';
import { isProductionState } from '../../../domain/project/production.ts';
import { stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { EnvironmentName, Guard } from '../../parts/environment-name.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useAudiencesAvailable, useCanEdit, useProject } from '../../shell/project-context.ts';
import { effectOf } from '../../switching/effect-words.ts';
import { StateMark } from '../../switching/state-mark.tsx';
import { draftedReach, environmentOf, isDrafted } from './card-state.ts';
import { CohortValues, EnvironmentCohorts, FlagCohorts } from './cohorts.tsx';
import { CopyState } from './copy-state.tsx';
import { EnabledSwitch } from './enabled-switch.tsx';
import classes from './flag.module.css';
import { Rollout } from './rollout.tsx';
import { type FlagEditing, useAudienceName, useAudiences } from './use-flag-editing.ts';

interface PartProps {
  /** The environment's number as a decimal. */
  readonly environment: string;
  readonly handle: DraftHandle;
}

/** Below Teams an attached audience stays and can be detached, but no other one can be attached. */
function AudienceChoice({ environment, handle }: PartProps) {
  const audiences = useAudiences();
  const nameOf = useAudienceName();
  const isAvailable = useAudiencesAvailable();
  const key = stateKey(environment, 'audienceId');
  const chosen = handle.value(key) as string | null;
  const stored = handle.draft.base[key] as string | null;
  const listed = isAvailable ? audiences : audiences.filter(({ id }) => id === stored);
  const isGone = chosen !== null && !listed.some(({ id }) => id === chosen);
  const known = listed.map(({ id, name }) => ({ value: id, label: visibleName(name) }));
  return (
    <Select
      label={
        <>
          Audience
          {stored !== chosen && (
            <span className={classes.was}>was {stored === null ? 'everyone' : nameOf(stored)}</span>
          )}
        </>
      }
      aria-label="Audience"
      description={isAvailable ? undefined : 'Attaching an audience needs the Teams plan.'}
      placeholder="Everyone"
      clearable
      searchable
      disabled={!isAvailable && chosen === null}
      nothingFoundMessage="No matching audience"
      data={isGone ? [...known, { value: chosen, label: chosen }] : known}
      value={chosen}
      clearButtonProps={{ 'aria-label': 'Everyone' }}
      onChange={(value) => handle.edit({ [key]: value })}
    />
  );
}

/** Which callers get "on" now, or after saving. A flag that is on for none has a button that mends it. */
function Effect({ environment, handle }: PartProps) {
  const audienceName = useAudienceName();
  const canEdit = useCanEdit();
  const { state, cohortCount } = draftedReach(handle, environment);
  const name = state.audienceId === null ? null : audienceName(state.audienceId);
  const effect = effectOf(state, { cohortCount, environmentName: null, audienceName: name });
  const isNobody = reachOf(state, cohortCount) === 'nobody';
  return (
    <div className={classes.effect} data-nobody={isNobody || undefined}>
      <span>
        {isDrafted(handle, environment) && 'After saving: '}
        {isNobody ? 'On, but reaches nobody.' : effect}
      </span>
      {isNobody && canEdit && (
        <SmallButton onClick={() => handle.edit({ [stateKey(environment, 'trafficPercentage')]: 100 })}>
          Set 100%
        </SmallButton>
      )}
    </div>
  );
}

/** The state for a member who cannot change it: values, not controls. */
function StateValues({ environment, handle }: PartProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const { state, cohortCount } = draftedReach(handle, environment);
  return (
    <dl className={classes.values}>
      <div>
        <dt>State</dt>
        <dd>
          <StateMark state={state} cohortCount={cohortCount} />
        </dd>
      </div>
      <div>
        <dt>Rollout</dt>
        <dd>
          {state.trafficPercentage}%
          <Progress
            value={state.trafficPercentage}
            color={state.enabled ? 'var(--on-solid)' : 'var(--switch-off)'}
            size="sm"
            mt={6}
            aria-label="Rollout in percent"
          />
        </dd>
      </div>
      <div>
        <dt>Cohorts</dt>
        <dd>
          <CohortValues environment={project.isMultiEnvironment ? environment : null} handle={handle} />
        </dd>
      </div>
      <div>
        <dt>Audience</dt>
        <dd>{state.audienceId === null ? 'Everyone' : audienceName(state.audienceId)}</dd>
      </div>
    </dl>
  );
}

function StateControls({
  environment,
  editing,
}: {
  readonly environment: string;
  readonly editing: FlagEditing;
}) {
  const { isMultiEnvironment } = useProject();
  const { handle } = editing;
  const key = stateKey(environment, 'trafficPercentage');
  return (
    <>
      <div className={classes.switchRow}>
        <EnabledSwitch environment={environment} editing={editing} />
        <Effect environment={environment} handle={handle} />
      </div>
      <Rollout
        value={handle.value(key) as number}
        stored={handle.draft.base[key] as number}
        unfit={handle.unfit[key]}
        onChange={(value) => handle.edit({ [key]: value })}
        onUnfit={(typed) => handle.keepUnfit(key, typed)}
      />
      {isMultiEnvironment ? (
        <EnvironmentCohorts environment={environment} handle={handle} />
      ) : (
        <FlagCohorts handle={handle} />
      )}
      <AudienceChoice environment={environment} handle={handle} />
    </>
  );
}

interface EnvironmentCardProps {
  readonly environment: string;
  readonly editing: FlagEditing;
  /** Closes a card that was opened from the index; null: it is always there. */
  readonly onClose: (() => void) | null;
}

/** One environment's state: the switch acts at once, everything below it is a draft. */
export function EnvironmentCard({ environment, editing, onClose }: EnvironmentCardProps) {
  const project = useProject();
  const canEdit = useCanEdit();
  const { handle } = editing;
  const found = environmentOf(project, environment);
  const name = found?.name ?? 'State';
  return (
    <Panel
      label={name}
      isOneLine
      tone={isProductionState(project, environment) && found !== undefined ? 'production' : undefined}
      title={
        found !== undefined ? (
          <EnvironmentName environment={found} isBrief={isDrafted(handle, environment)} />
        ) : (
          <>
            {name} {project.isProtected && <Guard isBrief={false} />}
          </>
        )
      }
      aside={
        <Group gap={4} wrap="nowrap">
          {isDrafted(handle, environment) && <Mark tone="info">not saved</Mark>}
          {canEdit && project.environments.length > 1 && (
            <CopyState environment={environment} handle={handle} />
          )}
          {onClose !== null && (
            <ActionIcon variant="subtle" color="gray" aria-label={`Close ${name}`} onClick={onClose}>
              <X aria-hidden="true" />
            </ActionIcon>
          )}
        </Group>
      }
    >
      <div className={classes.card}>
        {canEdit ? (
          <StateControls environment={environment} editing={editing} />
        ) : (
          <>
            <Effect environment={environment} handle={handle} />
            <StateValues environment={environment} handle={handle} />
          </>
        )}
      </div>
    </Panel>
  );
}
