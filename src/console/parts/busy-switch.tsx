import { Loader, Switch, type SwitchProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './busy-switch.module.css';

/** Shown where the result of a change will be, while there is no answer. */
export function BusyWords({ children }: { readonly children: ReactNode }) {
  return (
    <span className={classes.words}>
      <Loader size={12} color="currentColor" aria-hidden="true" /> {children}
    </span>
  );
}

interface BusySwitchProps extends SwitchProps {
  /** What is stored. */
  readonly checked: boolean;
  /** What is being done, until there is an answer: `Switching off …`; null: nothing is. */
  readonly busy: string | null;
}

/**
 * A switch that shows what is stored, and says so when a change has no answer yet. It is not disabled meanwhile: that
 * would take the focus from it.
 */
export function BusySwitch({ busy, label, ...props }: BusySwitchProps) {
  const shown = busy === null ? label : <BusyWords>{busy}</BusyWords>;
  return <Switch {...props} label={shown} aria-busy={busy !== null || undefined} />;
}

/** What a question does with its answer. */
export interface AnswerProps {
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

interface GuardedSwitchProps extends BusySwitchProps {
  readonly onChoose: (next: boolean) => void;
  /** Asked before it is switched off. */
  readonly question: (answer: AnswerProps) => ReactNode;
}

/** Switching on acts at once, switching off is confirmed first. A press before the answer to an earlier one is ignored. */
export function GuardedSwitch({ onChoose, question, ...props }: GuardedSwitchProps) {
  const [isAsked, asked] = useDisclosure(false);
  const onConfirm = () => {
    asked.close();
    onChoose(false);
  };
  return (
    <>
      <BusySwitch
        {...props}
        onChange={(event) => {
          if (props.busy !== null) return;
          if (event.currentTarget.checked) onChoose(true);
          else asked.open();
        }}
      />
      {isAsked && question({ onConfirm, onClose: asked.close })}
    </>
  );
}
