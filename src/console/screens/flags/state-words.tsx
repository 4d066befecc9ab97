import { countOf } from '../../parts/count-words.ts';
import { Mark } from '../../parts/mark.tsx';
import classes from './flags.module.css';

interface StateWordsProps {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  readonly cohortCount: number;
  readonly hasAudience: boolean;
}

/** Who else decides, below the state. */
function targets({ cohortCount, hasAudience }: StateWordsProps): string {
  const parts = [cohortCount > 0 && countOf(cohortCount, 'cohort'), hasAudience && 'audience'];
  return parts.filter((part) => part !== false).join(', ');
}

/** `On 50%` or `Off`: a state in words, and not by colour alone. */
export function StateWords(props: StateWordsProps) {
  const { enabled, trafficPercentage } = props;
  if (!enabled) return <Mark tone="off">Off</Mark>;
  const more = targets(props);
  return (
    <span className={classes.state}>
      <Mark tone="on">On {trafficPercentage}%</Mark>
      {more !== '' && <span className={classes.targets}>{more}</span>}
    </span>
  );
}
