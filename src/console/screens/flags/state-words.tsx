import { Mark } from '../../parts/mark.tsx';

interface StateWordsProps {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** Cohorts or an audience narrow it further. */
  readonly isTargeted: boolean;
}

/** `On 50%` or `Off`: a state in words, and not by colour alone. */
export function StateWords({ enabled, trafficPercentage, isTargeted }: StateWordsProps) {
  if (!enabled) return <Mark tone="off">Off</Mark>;
  return (
    <span>
      <Mark tone="on">On {trafficPercentage}%</Mark>
      {isTargeted && <span title="Has cohorts or an audience"> *</span>}
    </span>
  );
}
