import { steps } from './steps.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(steps);
