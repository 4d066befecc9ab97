import { peerRuns, testRuns } from './scenario-runs.ts';

testRuns(peerRuns);
