import { linearizability } from './linearizability.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(linearizability);
