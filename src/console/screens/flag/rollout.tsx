import { Button, NumberInput, Slider } from '@mantine/core';
import { useId, useState } from 'react';
import classes from './flag.module.css';

const steps = [0, 10, 25, 50, 75, 100] as const;

interface RolloutProps {
  readonly value: number;
  /** What is stored, while the draft has another. */
  readonly stored: number;
  readonly isReadOnly: boolean;
  readonly onChange: (value: number) => void;
}

/** A percentage three ways: roughly by the slider, exactly as a number, and the usual steps by a click. */
export function Rollout({ value, stored, isReadOnly, onChange }: RolloutProps) {
  const id = useId();
  // While another number is typed there may be none; whoever leaves it at that sees what holds.
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
        disabled={isReadOnly}
        onBlur={() => setEmpty(false)}
        onChange={(next) => {
          setEmpty(typeof next !== 'number');
          if (typeof next === 'number') onChange(next);
        }}
      />
      <div className={classes.steps}>
        <Slider
          flex="1 1 100%"
          size="sm"
          label={null}
          thumbLabel="Rollout in percent"
          value={value}
          disabled={isReadOnly}
          onChange={onChange}
        />
        {steps.map((step) => (
          <Button
            key={step}
            size="compact-xs"
            variant={step === value ? 'light' : 'default'}
            aria-pressed={step === value}
            disabled={isReadOnly}
            onClick={() => onChange(step)}
          >
            {step}%
          </Button>
        ))}
      </div>
    </div>
  );
}
