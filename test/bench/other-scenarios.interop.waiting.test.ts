import { otherRuns, testRuns } from './scenario-runs.ts';

testRuns(otherRuns);
