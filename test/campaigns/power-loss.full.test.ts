import { powerLoss } from './power-loss.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(powerLoss);
