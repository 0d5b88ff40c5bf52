import type { DunningCampaign } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { useInvoice } from './amount.tsx'

type Open = 'retry' | 'stop' | null

export function CampaignActions({
  campaign,
  compact = false,
}: {
  campaign: DunningCampaign
  compact?: boolean
}) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  if (campaign.status !== 'running') return null
  return (
    <span className="inline-flex flex-wrap gap-2">
      <Button
        compact={compact}
        disabledReason={disabledReasonFor('dunning_campaigns.retry')}
        onClick={() => setOpen('retry')}
      >
        Retry now…
      </Button>
      <Button
        compact={compact}
        variant="danger"
        disabledReason={disabledReasonFor('dunning_campaigns.stop')}
        onClick={() => setOpen('stop')}
      >
        Stop retries…
      </Button>
      {open !== null && (
        <CampaignActionDialog campaign={campaign} action={open} close={() => setOpen(null)} />
      )}
    </span>
  )
}

function CampaignActionDialog(props: {
  campaign: DunningCampaign
  action: 'retry' | 'stop'
  close: () => void
}) {
  const { campaign, action, close } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const { data: invoice } = useInvoice(campaign.invoice_id)
  const amount = invoice === undefined ? '' : moneyText(invoice.amount_remaining, invoice.currency)
  const isRetry = action === 'retry'
  return (
    <ActionDialog
      title={isRetry ? 'Retry now' : 'Stop retries'}
      intro={
        isRetry
          ? `Runs the next scheduled retry now: ${amount} is charged to the current card.`
          : `The invoice for ${amount} is no longer retried and stays open.`
      }
      submit={isRetry ? `Charge ${amount} now` : 'Stop retries'}
      danger={!isRetry}
      disabledReason={disabledReasonFor(`dunning_campaigns.${action}`)}
      call={{
        method: 'POST',
        path: `/dunning-campaigns/${campaign.id}/${action}`,
        sdk: { method: `dunningCampaigns.${action}`, args: [campaign.id] },
      }}
      run={async (key) => {
        await api.dunningCampaigns[action](campaign.id, key)
        await invalidate('dunning_campaign', 'invoice', 'subscription')
      }}
      successMessage={isRetry ? 'Retry started' : 'Retries stopped'}
      onDone={close}
      onCancel={close}
    />
  )
}
