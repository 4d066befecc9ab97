import { damagedData } from './damaged-data.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(damagedData);
