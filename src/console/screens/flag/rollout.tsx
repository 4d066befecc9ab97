import { Button, NumberInput, Slider } from '@mantine/core';
import { useRovingIndex } from '@mantine/hooks';
import { useId, useState } from 'react';
import classes from './flag.module.css';

const steps = [0, 10, 25, 50, 75, 100] as const;

interface RolloutProps {
  readonly value: number;
  /** The stored value, while the draft has another one. */
  readonly stored: number;
  readonly onChange: (value: number) => void;
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
          variant={step === value ? 'light' : 'default'}
          aria-pressed={step === value}
          {...getItemProps({ index, onClick: () => onChange(step) })}
        >
          {step}%
        </Button>
      ))}
    </div>
  );
}

/** A percentage with three inputs: an exact number, a slider, and buttons for the usual steps. */
export function Rollout({ value, stored, onChange }: RolloutProps) {
  const id = useId();
  // The field may be empty while another number is typed. When it loses the focus, it shows the draft's value again.
  const [isEmpty, setEmpty] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid in every browser.
    <div className={classes.rollout} role="group" aria-labelledby={id}>
      <span id={id} className={classes.label}>
        Rollout
        {stored !== value && <span className={classes.was}>was {stored}%</span>}
      </span>
      <NumberInput
        aria-label="Rollout in percent"
        size="xs"
        min={0}
        max={100}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="strict"
        suffix="%"
        value={isEmpty ? '' : value}
        onBlur={() => setEmpty(false)}
        onChange={(next) => {
          setEmpty(typeof next !== 'number');
          if (typeof next === 'number') onChange(next);
        }}
      />
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
