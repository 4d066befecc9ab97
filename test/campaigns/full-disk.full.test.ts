import { fullDisk } from './full-disk.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(fullDisk);
