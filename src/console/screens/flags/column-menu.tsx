import { ActionIcon, Button, Checkbox, Group, Popover, SegmentedControl, Stack, Text } from '@mantine/core';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import Columns3 from 'lucide-react/icons/columns-3';
import Pin from 'lucide-react/icons/pin';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { isProduction } from '../../../domain/project/production.ts';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { densities, initialProjectPreferences } from '../../parts/preferences.ts';
import { usePreference, usePreferenceStore, useProjectPreferences } from '../../parts/use-preferences.ts';
import { useProject } from '../../shell/project-context.ts';
import classes from './column-menu.module.css';
import { moved, orderedEnvironments, pinnedNumbers } from './flag-columns.ts';

/** What a member does with the columns; each is stored at once. */
function useColumns() {
  const project = useProject();
  const store = usePreferenceStore();
  const preferences = useProjectPreferences(project.id);
  const environments = orderedEnvironments(project, preferences);
  const order = environments.map(({ number }) => number);
  const pinned = pinnedNumbers(project, preferences);
  const change = (next: Partial<typeof preferences>) => store.changeProject(project.id, () => next);
  const without = (numbers: readonly number[], number: number) => numbers.filter((other) => other !== number);
  return {
    environments,
    pinned,
    hidden: preferences.hiddenColumns,
    move: (number: number, by: -1 | 1) => change({ columnOrder: moved(order, number, by) }),
    pin: (number: number, isPinned: boolean) =>
      change({ pinnedColumns: isPinned ? [...pinned, number] : without(pinned, number) }),
    show: (number: number, isShown: boolean) => {
      const others = without(preferences.hiddenColumns, number);
      change({ hiddenColumns: isShown ? others : [...others, number] });
    },
    showOnly: (isShown: (environment: EnvironmentView) => boolean) =>
      change({ hiddenColumns: environments.filter((one) => !isShown(one)).map(({ number }) => number) }),
    reset: () => {
      const { columnOrder, hiddenColumns, pinnedColumns } = initialProjectPreferences;
      change({ columnOrder, hiddenColumns, pinnedColumns });
    },
  };
}

type Columns = ReturnType<typeof useColumns>;

interface ColumnLineProps {
  readonly columns: Columns;
  readonly environment: EnvironmentView;
  /** Its neighbours in the order; a pinned one is not swapped with one that is not. */
  readonly canMove: { readonly up: boolean; readonly down: boolean };
}

function ColumnLine({ columns, environment, canMove }: ColumnLineProps) {
  const { number, name } = environment;
  const isPinned = columns.pinned.includes(number);
  return (
    <li className={classes.line}>
      <Checkbox
        className={classes.name}
        size="xs"
        label={<EnvironmentName environment={environment} isBrief />}
        checked={!columns.hidden.includes(number)}
        onChange={(event) => columns.show(number, event.currentTarget.checked)}
      />
      <ActionIcon
        size="sm"
        variant={isPinned ? 'light' : 'subtle'}
        color={isPinned ? undefined : 'gray'}
        aria-pressed={isPinned}
        aria-label={`Pin ${name}`}
        title="Keep next to the name"
        onClick={() => columns.pin(number, !isPinned)}
      >
        <Pin aria-hidden="true" />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`Move ${name} to the left`}
        disabled={!canMove.up}
        onClick={() => columns.move(number, -1)}
      >
        <ChevronUp aria-hidden="true" />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`Move ${name} to the right`}
        disabled={!canMove.down}
        onClick={() => columns.move(number, 1)}
      >
        <ChevronDown aria-hidden="true" />
      </ActionIcon>
    </li>
  );
}

function ColumnChoice() {
  const columns = useColumns();
  const { environments, pinned } = columns;
  const isPinned = (environment: EnvironmentView | undefined) =>
    environment !== undefined && pinned.includes(environment.number);
  return (
    <Stack gap="xs">
      <Group gap={6}>
        <Button size="compact-sm" variant="default" onClick={() => columns.showOnly(() => true)}>
          All
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => columns.showOnly(isProduction)}>
          Only production
        </Button>
        <Button size="compact-sm" variant="default" onClick={columns.reset}>
          Reset
        </Button>
      </Group>
      <ul className={classes.list} aria-label="Environments">
        {environments.map((environment, index) => {
          const [before, after] = [environments[index - 1], environments[index + 1]];
          const isAlike = (other: EnvironmentView | undefined) =>
            other !== undefined && isPinned(other) === isPinned(environment);
          return (
            <ColumnLine
              key={environment.number}
              {...{ columns, environment }}
              canMove={{ up: isAlike(before), down: isAlike(after) }}
            />
          );
        })}
      </ul>
    </Stack>
  );
}

function DensityChoice() {
  const store = usePreferenceStore();
  const density = usePreference((present) => present.density);
  const labels = { comfortable: 'Comfortable', compact: 'Compact' };
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Density"
      value={density}
      data={densities.map((value) => ({ value, label: labels[value] }))}
      onChange={(value) => store.change({ density: value === 'compact' ? 'compact' : 'comfortable' })}
    />
  );
}

/** Which environments are shown, in which order, and how close the rows are: each member's own choice. */
export function ColumnMenu() {
  const { environments } = useProject();
  return (
    <Popover position="bottom-end" shadow="md" width={320} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<Columns3 aria-hidden="true" />}>
          View
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="View">
        <Stack gap="sm">
          <DensityChoice />
          {environments.length > 1 && (
            <>
              <Text size="sm" fw={600}>
                Environments
              </Text>
              <ColumnChoice />
            </>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
