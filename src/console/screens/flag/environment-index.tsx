import { useRovingIndex } from '@mantine/hooks';
import { useState } from 'react';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useProject } from '../../shell/project-context.ts';
import { StateMark } from '../../switching/state-mark.tsx';
import { draftedReach, environmentOf, isDrafted } from './card-state.ts';
import classes from './environment-index.module.css';

/** From this number on, a field finds environments by their names. */
const findableFrom = 13;

interface EnvironmentIndexProps {
  readonly environments: readonly string[];
  readonly opened: ReadonlySet<string>;
  readonly handle: DraftHandle;
  /** Opens the card, and gives it the focus. */
  readonly onGo: (environment: string) => void;
}

/** Every environment with its state, in little room. It is one stop of Tab, and the arrows move within it. */
export function EnvironmentIndex({ environments, opened, handle, onGo }: EnvironmentIndexProps) {
  const project = useProject();
  const [wanted, setWanted] = useState('');
  const found = environments.filter((number) =>
    environmentOf(project, number)?.name.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const { getItemProps } = useRovingIndex({ total: found.length, orientation: 'both' });
  return (
    <section className={classes.index} aria-label="All environments">
      {environments.length >= findableFrom && (
        <TextField
          type="search"
          size="xs"
          aria-label="Find an environment"
          placeholder="Find an environment"
          value={wanted}
          onText={setWanted}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && found[0] !== undefined) onGo(found[0]);
          }}
        />
      )}
      <div className={classes.entries} role="toolbar" aria-label="Environments">
        {found.map((number, index) => {
          const environment = environmentOf(project, number);
          if (environment === undefined) return null;
          return (
            <button
              key={number}
              type="button"
              className={classes.entry}
              aria-expanded={opened.has(number)}
              {...getItemProps({ index, onClick: () => onGo(number) })}
            >
              <EnvironmentName environment={environment} isBrief />
              <span className={classes.state} data-drafted={isDrafted(handle, number) || undefined}>
                <StateMark {...draftedReach(handle, number)} />
              </span>
            </button>
          );
        })}
      </div>
      {found.length === 0 && <p className={classes.none}>No matches</p>}
    </section>
  );
}
