import { soak } from './soak.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(soak);
