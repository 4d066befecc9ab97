import { useEffect, useRef, useState } from 'react';
import { isProductionState } from '../../../domain/project/production.ts';
import { Callout } from '../../parts/callout.tsx';
import { useIsNarrow } from '../../parts/data-list.tsx';
import { PageEmpty } from '../../parts/page-states.tsx';
import { useProjectPreferences } from '../../parts/use-preferences.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { isStateDrafted, shownEnvironments } from './card-state.ts';
import { FlagWideCohorts } from './cohorts.tsx';
import { EnvironmentCard } from './environment-card.tsx';
import { EnvironmentIndex } from './environment-index.tsx';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

/** Up to this number each environment has an open card, and no index is needed. */
const allOpenMax = 6;
/** Of more, at most this many cards are open at first: production, then what the member has pinned. */
const openAtFirstMax = 4;

/** The environments whose cards are open at first. */
function useOpenAtFirst(environments: readonly string[]): readonly string[] {
  const project = useProject();
  const { pinnedColumns } = useProjectPreferences(project.id);
  if (environments.length <= allOpenMax) return environments;
  const isPinned = (number: string) => pinnedColumns?.includes(Number(number)) === true;
  const chosen = environments.filter((number) => isProductionState(project, number) || isPinned(number));
  return chosen.length === 0 ? environments.slice(0, 1) : chosen.slice(0, openAtFirstMax);
}

/** Gives a card's first control the focus, or the card itself where nothing can be changed. */
function focusCard(place: HTMLElement): void {
  place.scrollIntoView({ block: 'center' });
  (place.querySelector<HTMLElement>('input') ?? place).focus({ preventScroll: true });
}

/** The cards that are open, and a way to one of them: it is opened, and gets the focus. */
function useCards(environments: readonly string[], { handle }: FlagEditing) {
  const first = useOpenAtFirst(environments);
  const [asked, setAsked] = useState<readonly string[]>([]);
  const places = useRef(new Map<string, HTMLElement>());
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    const place = wanted.current === null ? undefined : places.current.get(wanted.current);
    wanted.current = null;
    if (place !== undefined) focusCard(place);
  });
  const isOpen = (number: string) =>
    first.includes(number) || asked.includes(number) || isStateDrafted(handle, number);
  return {
    first,
    opened: new Set(environments.filter(isOpen)),
    placeOf: (number: string) => (place: HTMLElement | null) => {
      if (place === null) places.current.delete(number);
      else places.current.set(number, place);
    },
    go: (number: string) => {
      wanted.current = number;
      setAsked((now) => [...now.filter((other) => other !== number), number]);
    },
    close: (number: string) => setAsked((now) => now.filter((other) => other !== number)),
  };
}

/** The flag's states by environment, those of production first, and the list of cohorts that they share. */
export function EnvironmentsTab({ editing }: { readonly editing: FlagEditing }) {
  const project = useProject();
  const canEdit = useCanEdit();
  const environments = shownEnvironments(project, editing.flag.states);
  const { first, opened, placeOf, go, close } = useCards(environments, editing);
  const others = environments.filter((number) => opened.has(number) && !first.includes(number));
  const isMany = environments.length > allOpenMax;
  const isNarrow = useIsNarrow();
  const index = (
    <EnvironmentIndex environments={environments} opened={opened} handle={editing.handle} onGo={go} />
  );
  const cardOf = (number: string) => (
    <div key={number} ref={placeOf(number)} tabIndex={-1} className={classes.cardPlace}>
      <EnvironmentCard
        environment={number}
        editing={editing}
        onClose={
          first.includes(number) || isStateDrafted(editing.handle, number) ? null : () => close(number)
        }
      />
    </div>
  );
  return (
    <>
      {!canEdit && (
        <div className={classes.wide}>
          <Callout tone="plain">Read-only: ask an Editor for changes.</Callout>
        </div>
      )}
      {project.isMultiEnvironment && environments.length === 0 && (
        <PageEmpty title="No environments yet">
          A flag has a state in each environment, and this project has none.
        </PageEmpty>
      )}
      <div className={isMany ? classes.detail : undefined}>
        {isMany && !isNarrow && index}
        <div className={classes.cards}>
          {[...environments.filter((number) => first.includes(number)), ...others].map(cardOf)}
        </div>
        {isMany && isNarrow && index}
      </div>
      {project.isMultiEnvironment && <FlagWideCohorts handle={editing.handle} />}
    </>
  );
}
