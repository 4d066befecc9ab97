import { Text } from '@mantine/core';
import { stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { BusySwitch } from '../../parts/busy-switch.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useProject } from '../../shell/project-context.ts';
import { placeWords } from '../../switching/effect-words.ts';
import { type SwitchDraft, storedSwitch } from '../../switching/switch-rules.ts';
import { useFlagSwitch } from '../../switching/use-flag-switch.ts';
import { cardEdits, environmentOf, isGuarded } from './card-state.ts';
import classes from './flag.module.css';
import { type FlagEditing, storedOf } from './use-flag-editing.ts';

interface EnabledSwitchProps {
  /** The environment's number as a decimal. */
  readonly environment: string;
  readonly editing: FlagEditing;
}

/** The unsaved changes of an environment's card, without its switch; null without any. */
function cardDraft(handle: DraftHandle, environment: string): SwitchDraft | null {
  const { [stateKey(environment, 'enabled')]: _, ...edits } = cardEdits(handle, environment);
  const keys = Object.keys(edits);
  if (keys.length === 0) return null;
  return {
    edits,
    before: Object.fromEntries(keys.map((key) => [key, handle.draft.base[key]])),
    onConflict: (current) => handle.meet(storedOf(current)),
  };
}

/** Acts at once and can be undone, or asks first. */
export function EnabledSwitch({ environment, editing }: EnabledSwitchProps) {
  const { flag, handle } = editing;
  const project = useProject();
  const found = environmentOf(project, environment) ?? null;
  const { id: flagId, projectId, name: flagName } = flag;
  const target = {
    projectId,
    flagId,
    flagName,
    environment: found,
    isProtected: isGuarded(project, environment),
  };
  const { busy, choose } = useFlagSwitch(target);
  const key = stateKey(environment, 'enabled');
  const enabled = handle.value(key) as boolean;
  const isDrafted = Object.hasOwn(handle.draft.edits, key);
  const stored = storedSwitch(flag, target);
  const draft = cardDraft(handle, environment);
  const isClashing = handle.clashes.some(({ key }) => draft !== null && Object.hasOwn(draft.edits, key));
  const turn = (next: boolean, input: HTMLElement) => {
    if (stored === null) return;
    // A rollout that cannot be understood is mended before it can matter.
    if (next && Object.hasOwn(handle.unfit, stateKey(environment, 'trafficPercentage'))) {
      return input.closest('section')?.querySelector<HTMLElement>('[data-problem]')?.focus();
    }
    // A conflict about the card's values is decided first; switching off does not depend on them.
    if (next && isClashing) return handle.decide(true);
    // The draft has the other value: nothing is switched, the draft is.
    if (next === stored.state.enabled) handle.edit({ [key]: next });
    else {
      choose(next, stored, {
        draft,
        onStored: (now, keys) => handle.settle(storedOf(now), keys),
      });
    }
  };
  return (
    <div className={classes.switch}>
      <BusySwitch
        size="md"
        busy={busy}
        color="var(--on-solid)"
        checked={enabled}
        aria-label={`${visibleName(flag.name)}${placeWords(found?.name ?? null)}`}
        label={enabled ? 'On' : 'Off'}
        onChange={(event) => turn(event.currentTarget.checked, event.currentTarget)}
      />
      {isDrafted && (
        <Text size="xs" c="dimmed">
          in the draft
        </Text>
      )}
    </div>
  );
}
