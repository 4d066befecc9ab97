import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { Callout } from '../../parts/callout.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { EnvironmentCard } from './environment-card.tsx';
import classes from './flag.module.css';
import { FlagCohorts } from './flag-cohorts.tsx';
import type { FlagEditing } from './use-flag-editing.ts';

interface EnvironmentsTabProps {
  readonly flag: ConsoleFlagView;
  readonly editing: FlagEditing;
}

/** What the flag answers, for each environment; in front of them the list of cohorts that they share. */
export function EnvironmentsTab({ flag, editing }: EnvironmentsTabProps) {
  const { isMultiEnvironment, environments } = useProject();
  const canEdit = useCanEdit();
  const places = isMultiEnvironment ? environments.map(({ number }) => String(number)) : ['0'];
  return (
    <>
      {!canEdit && (
        <div className={classes.wide}>
          <Callout tone="plain">You are a Viewer here: only an Editor changes flags.</Callout>
        </div>
      )}
      {isMultiEnvironment && (
        <div className={classes.wide}>
          <Panel title="Flag-wide cohorts">
            <FlagCohorts editing={editing} />
          </Panel>
        </div>
      )}
      {places.length === 0 && (
        <PageEmpty title="No environment yet">
          The flag has a state in each environment, and this project has none.
        </PageEmpty>
      )}
      <div className={classes.cards}>
        {places
          .filter((environment) => Object.hasOwn(flag.states, environment))
          .map((environment) => (
            <EnvironmentCard key={environment} flag={flag} environment={environment} editing={editing} />
          ))}
      </div>
    </>
  );
}
