import type { Trial } from '../../../contracts/console/evaluation-views.ts';
import { Panel } from '../../parts/panel.tsx';
import classes from './try-tab.module.css';

const ruleWords = {
  switch: 'Switch',
  cohort: 'Cohorts',
  audience: 'Audience',
  percentage: 'Rollout',
};
const outcomeWords = { decides: 'decides', passes: 'does not decide', 'not-reached': 'not reached' };

/** The answer, and each rule in its order with its part in it. */
export function TrialResult({ trial }: { readonly trial: Trial }) {
  const { enabled, reason, bucketPercent, steps } = trial;
  const isTold = steps.some(({ rule, outcome }) => rule === 'percentage' && outcome === 'decides');
  return (
    <Panel title="Answer">
      <p className={classes.answer} data-on={enabled}>
        {enabled ? 'On' : 'Off'} <span className={classes.reason}>Reason: {reason}</span>
      </p>
      <ol className={classes.steps}>
        {steps.map(({ rule, outcome, explanation }) => (
          <li key={rule} className={classes.step} data-outcome={outcome}>
            <div className={classes.stepHead}>
              <strong>{ruleWords[rule]}</strong>
              <span className={classes.outcome}>{outcomeWords[outcome]}</span>
            </div>
            <div>{explanation}</div>
          </li>
        ))}
      </ol>
      {bucketPercent !== null && !isTold && (
        <p className={classes.hint}>In the rollout this key would fall at {bucketPercent.toFixed(2)}%.</p>
      )}
    </Panel>
  );
}
