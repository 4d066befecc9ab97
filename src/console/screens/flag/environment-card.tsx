import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { partsOfKey, stateKey } from '../../draft/flag-fields.ts';
import { Mark } from '../../parts/mark.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { AudienceChoice } from './audience-choice.tsx';
import { CopyState } from './copy-state.tsx';
import { EnabledSwitch } from './enabled-switch.tsx';
import { EnvironmentCohorts } from './environment-cohorts.tsx';
import classes from './flag.module.css';
import { FlagCohorts } from './flag-cohorts.tsx';
import { Rollout } from './rollout.tsx';
import type { FlagEditing } from './use-flag-editing.ts';

interface EnvironmentCardProps {
  readonly flag: ConsoleFlagView;
  readonly environment: string;
  readonly editing: FlagEditing;
}

function CardTitle({ environment, editing }: Pick<EnvironmentCardProps, 'environment' | 'editing'>) {
  const { environments } = useProject();
  const found = environments.find(({ number }) => String(number) === environment);
  const isEdited = editing.handle.changes.some(({ key }) => partsOfKey(key).environment === environment);
  return (
    <>
      {found?.name ?? 'State'}
      {found?.isProtected === true && <Mark tone="warn">protected</Mark>}
      {isEdited && <Mark tone="accent">not saved</Mark>}
    </>
  );
}

/** One environment's state: the switch acts at once, everything below it is a draft. */
export function EnvironmentCard({ flag, environment, editing }: EnvironmentCardProps) {
  const { isMultiEnvironment, environments } = useProject();
  const canEdit = useCanEdit();
  const { handle } = editing;
  const key = stateKey(environment, 'trafficPercentage');
  const name = environments.find(({ number }) => String(number) === environment)?.name ?? 'State';
  return (
    <Panel
      label={name}
      title={<CardTitle environment={environment} editing={editing} />}
      aside={canEdit && environments.length > 1 && <CopyState environment={environment} handle={handle} />}
    >
      <div className={classes.card}>
        <EnabledSwitch flag={flag} environment={environment} editing={editing} />
        <Rollout
          value={handle.value(key) as number}
          stored={handle.draft.base[key] as number}
          isReadOnly={!canEdit}
          onChange={(value) => handle.edit({ [key]: value })}
        />
        {isMultiEnvironment ? (
          <EnvironmentCohorts environment={environment} handle={handle} />
        ) : (
          <FlagCohorts editing={editing} />
        )}
        <AudienceChoice environment={environment} handle={handle} />
      </div>
    </Panel>
  );
}
