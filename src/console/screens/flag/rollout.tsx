import { Button, Slider, TextInput } from '@mantine/core';
import { useRovingIndex } from '@mantine/hooks';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { percentageOf, percentageProblem } from '../../parts/field-rules.ts';
import classes from './flag.module.css';

const steps = [0, 10, 25, 50, 75, 100] as const;

interface RolloutProps {
  readonly value: number;
  /** The stored value, while the draft has another one. */
  readonly stored: number;
  /** An entry that is no percentage, as it was typed. */
  readonly unfit: string | undefined;
  readonly onChange: (value: number) => void;
  readonly onUnfit: (typed: string) => void;
}

/** The usual percentages: one stop of Tab, and the arrows within. */
function Steps({ value, onChange }: Pick<RolloutProps, 'value' | 'onChange'>) {
  const { getItemProps } = useRovingIndex({ total: steps.length });
  return (
    <div className={classes.steps} role="toolbar" aria-label="Usual percentages">
      {steps.map((step, index) => (
        <Button
          key={step}
          size="compact-xs"
          variant="default"
          aria-pressed={step === value}
          {...getItemProps({ index, onClick: () => onChange(step) })}
        >
          {step}%
        </Button>
      ))}
    </div>
  );
}

type PercentFieldProps = Omit<RolloutProps, 'stored'> & { readonly problemId: string };

/** An exact number. While it is typed it stands without its sign. What is no percentage stays as it was typed. */
function PercentField({ value, unfit, problemId, onChange, onUnfit }: PercentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isTyped = typed !== null;
  // Selected before anything else can be typed, since the value without its sign sets the caret to the end.
  useLayoutEffect(() => {
    if (isTyped) field.current?.select();
  }, [isTyped]);
  const take = (text: string) => {
    const percentage = percentageOf(text);
    setTyped(text);
    // An empty field gets its number back when it is left.
    if (percentage === null && text !== '') onUnfit(text);
    else onChange(percentage ?? value);
  };
  const step = (event: KeyboardEvent) => {
    const change = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (change === 0) return;
    event.preventDefault();
    take(String(Math.min(100, Math.max(0, value + change))));
  };
  return (
    <TextInput
      aria-label="Rollout in percent"
      size="xs"
      inputMode="numeric"
      autoComplete="off"
      value={unfit ?? typed ?? `${value}%`}
      error={unfit !== undefined}
      aria-describedby={unfit === undefined ? undefined : problemId}
      data-problem={unfit !== undefined || undefined}
      ref={field}
      onFocus={() => setTyped(unfit ?? String(value))}
      onMouseDown={(event) => {
        if (isTyped) return;
        // The browser would set the caret where the mouse is, after everything was selected.
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onBlur={() => setTyped(null)}
      onChange={({ currentTarget }) => take(currentTarget.value)}
      onKeyDown={step}
    />
  );
}

/** A percentage with three inputs: an exact number, a slider, and buttons for the usual steps. */
export function Rollout({ stored, ...field }: RolloutProps) {
  const { value, unfit, onChange } = field;
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid in every browser.
    <div className={classes.rollout} role="group" aria-labelledby={id}>
      <span id={id} className={classes.label}>
        Rollout
        {stored !== value && <span className={classes.was}>was {stored}%</span>}
      </span>
      <PercentField {...field} problemId={`${id}-problem`} />
      <span id={`${id}-problem`} className={classes.problem} role="status">
        {unfit !== undefined && percentageProblem}
      </span>
      <Slider
        className={classes.slider}
        size="sm"
        label={null}
        thumbLabel="Rollout in percent"
        value={value}
        onChange={onChange}
      />
      <Steps value={value} onChange={onChange} />
    </div>
  );
}
