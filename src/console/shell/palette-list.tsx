import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { ConsoleFlagView } from '../../contracts/console/flag-views.ts';
import type { FoundFlagView } from '../../contracts/console/search-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { showFoundFlag } from '../client/search.ts';
import { BusySwitch } from '../parts/busy-switch.tsx';
import { EnvironmentName } from '../parts/environment-name.tsx';
import { SafeName } from '../parts/safe-name.tsx';
import { visibleName } from '../parts/visible-name.ts';
import { StateMark } from '../switching/state-mark.tsx';
import { useFlagSwitch } from '../switching/use-flag-switch.ts';
import classes from './palette.module.css';
import type { EntryGroup, PaletteEntry } from './palette-entries.ts';

type FoundState = FoundFlagView['states'][number];

const kindWords: Readonly<Record<PaletteEntry['kind'], string>> = {
  page: 'page',
  action: 'action',
  project: 'project',
  environment: 'environment',
  audience: 'audience',
  flag: 'flag',
};

/** Further production environments are switched on the flag's page. */
const switchesShownMax = 3;

function shownStates({ states }: FoundFlagView): readonly FoundState[] {
  return states.slice(0, switchesShownMax);
}

interface ProductionSwitchProps {
  readonly flag: FoundFlagView;
  readonly state: FoundState;
  /** Tab leads from the input to the switches of the chosen row alone. */
  readonly isChosen: boolean;
  /** Of the first one, for Ctrl+Enter. */
  readonly id?: string | undefined;
}

/** The id of a flag's first switch. */
export function switchId(flagId: string): string {
  return `palette-switch-${flagId}`;
}

function ProductionSwitch({ flag, state, isChosen, id }: ProductionSwitchProps) {
  const client = useQueryClient();
  const { projectId, id: flagId, name: flagName, revision, cohortCount, projectName } = flag;
  const project = useQuery(projectsQuery).data?.projects.find(({ id }) => id === projectId);
  const { environment: number, name, isProtected } = state;
  const environment = project?.isMultiEnvironment === false ? null : { number, name };
  const { busy, choose } = useFlagSwitch({ projectId, flagId, flagName, environment, isProtected });
  const onStored = (stored: ConsoleFlagView) => showFoundFlag(client, stored);
  const where = environment === null ? projectName : `${name}, ${projectName}`;
  return (
    <BusySwitch
      id={id}
      classNames={{ root: classes.switch ?? '', body: classes.switchArea ?? '' }}
      size="md"
      checked={state.enabled}
      busy={busy}
      labelPosition="left"
      disabled={project === undefined || !hasRole(project.role, 'editor')}
      tabIndex={isChosen ? 0 : -1}
      aria-label={visibleName(`${flagName} in ${where}`)}
      onChange={(event) =>
        choose(event.currentTarget.checked, { revision, cohortCount, state }, { onStored })
      }
    />
  );
}

/** Two flags of one name in one project are distinguished by their ids. */
function isNamesake(entry: PaletteEntry, entries: readonly PaletteEntry[]): boolean {
  return entries.some(
    (other) =>
      other !== entry &&
      other.kind === entry.kind &&
      other.title === entry.title &&
      other.projectName === entry.projectName,
  );
}

interface RowProps {
  readonly entry: PaletteEntry;
  readonly optionId: string;
  readonly isChosen: boolean;
  readonly hasNamesake: boolean;
  /** Its row in the grid, from 1. */
  readonly row: number;
  readonly onPick: (entry: PaletteEntry) => void;
}

function Option({ entry, optionId, isChosen, hasNamesake, row, onPick }: RowProps) {
  const { flag } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys, the list follows.
    <div
      id={optionId}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={classes.option}
      data-switched={flag !== undefined && flag.states.length > 0 ? true : undefined}
      style={{ gridRow: row }}
      onClick={() => onPick(entry)}
    >
      <span className={classes.name}>
        <SafeName name={entry.title} />
        {hasNamesake && <code className={classes.id}>{entry.id.replace(/^\w+\//, '')}</code>}
      </span>
      <span className={classes.kind}>
        {entry.projectName === '' ? kindWords[entry.kind] : <SafeName name={entry.projectName} />}
        {entry.projectName !== '' && entry.kind !== 'flag' && ` · ${kindWords[entry.kind]}`}
        {entry.projectName !== '' && entry.kind === 'flag' && <span className="heard"> flag</span>}
      </span>
      {flag !== undefined && (
        <span className={classes.states}>
          {shownStates(flag).map((state) => (
            <span key={state.environment} className={classes.state}>
              {state.name !== '' && <EnvironmentName environment={state} isBrief />}
              <StateMark state={state} cohortCount={flag.cohortCount} />
            </span>
          ))}
        </span>
      )}
    </div>
  );
}

interface PaletteListProps {
  readonly listId: string;
  readonly groups: readonly EntryGroup[];
  /** Place of the chosen one among all entries. */
  readonly chosen: number;
  readonly onPick: (entry: PaletteEntry) => void;
}

/**
 * Entries, and next to them the switches of flags: an option may not contain a control, so that the switches are a group
 * after the list, in the same rows of one grid.
 */
export function PaletteList({ listId, groups, chosen, onPick }: PaletteListProps) {
  const entries = groups.flatMap((group) => group.entries);
  const places = new Map<PaletteEntry, number>();
  let row = 0;
  for (const group of groups) {
    if (group.title !== '') row += 1;
    for (const entry of group.entries) {
      row += 1;
      places.set(entry, row);
    }
  }
  const optionOf = (entry: PaletteEntry) => {
    const index = entries.indexOf(entry);
    return (
      <Option
        key={entry.id}
        optionId={`${listId}-${index}`}
        isChosen={index === chosen}
        hasNamesake={entry.kind === 'flag' && isNamesake(entry, entries)}
        row={places.get(entry) ?? 0}
        {...{ entry, onPick }}
      />
    );
  };
  return (
    <div className={classes.list}>
      <div id={listId} role="listbox" aria-label="Results" className={classes.rows}>
        {groups.map((group) =>
          group.title === '' ? (
            <Fragment key="">{group.entries.map(optionOf)}</Fragment>
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields.
            <div key={group.title} role="group" aria-label={group.title} className={classes.rows}>
              <div
                className={classes.heading}
                aria-hidden="true"
                style={{ gridRow: (places.get(group.entries[0] as PaletteEntry) ?? 1) - 1 }}
              >
                {group.title}
              </div>
              {group.entries.map(optionOf)}
            </div>
          ),
        )}
      </div>
      {entries.map((entry, index) =>
        entry.flag === undefined || entry.flag.states.length === 0 ? null : (
          <div
            key={entry.id}
            className={classes.switches}
            data-chosen={index === chosen || undefined}
            style={{ gridRow: places.get(entry) }}
          >
            {shownStates(entry.flag).map((state, index) => (
              <ProductionSwitch
                key={state.environment}
                flag={entry.flag as FoundFlagView}
                state={state}
                isChosen={index === chosen}
                id={index === 0 ? switchId(entry.flag?.id ?? '') : undefined}
              />
            ))}
          </div>
        ),
      )}
    </div>
  );
}
