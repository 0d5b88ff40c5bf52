import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { endCampaign } from './service/end.ts'
import { hearOfInvoice } from './service/hear.ts'

export const dunInvoices: Work<'invoice'> = {
  name: 'invoice.dun',
  key: 'invoice',
  onClocks: true,
  due: dueIn({
    ...{ work: 'invoice.dun', kind: 'invoice', table: 'invoices', column: 'dunning_due_at' },
    onClocks: true,
  }),
  handle: hearOfInvoice,
}

export const endDunningCampaigns: Work<'dunning_campaign'> = {
  name: 'dunning_campaign.end',
  key: 'dunning_campaign',
  onClocks: true,
  due: dueIn({
    ...{
      work: 'dunning_campaign.end',
      kind: 'dunning_campaign',
      table: 'dunning_campaigns',
      column: 'due_at',
    },
    onClocks: true,
  }),
  handle: endCampaign,
}
